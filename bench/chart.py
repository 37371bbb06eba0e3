"""The README's chart: bars of one run, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

WIDTH, LABELS, VALUES, BAR, GAP, TOP, BOTTOM = 760, 230, 150, 18, 8, 44, 30


@dataclass
class Bar:
    label: str
    value: float
    ours: bool = False


def draw(title: str, footer: str, bars: Sequence[Bar]) -> str:
    """Longest first; beside each how many times slower it is than our first bar, or faster."""
    ours = max(bar.value for bar in bars if bar.ours)
    most = max(bar.value for bar in bars)
    height = TOP + len(bars) * (BAR + GAP) + BOTTOM
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"',
        '  font-family="system-ui, sans-serif" font-size="12" fill="#57606a">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#ffffff"/>',
        f'<text x="16" y="26" font-size="15" font-weight="600" fill="#1f2328">{escape(title)}</text>',
    ]
    for place, bar in enumerate(sorted(bars, key=lambda bar: -bar.value)):
        y = TOP + place * (BAR + GAP)
        width = max(1.0, bar.value / most * (WIDTH - LABELS - VALUES))
        fill, weight = ("#1f6feb", "600") if bar.ours else ("#afb8c1", "400")
        told = f"{bar.value:,.0f}/s" + ("" if bar.value == ours else f", {ratio(bar.value / ours)}")
        lines += [
            f'<text x="{LABELS - 8}" y="{y + 13}" text-anchor="end" font-weight="{weight}">'
            f"{escape(bar.label)}</text>",
            f'<rect x="{LABELS}" y="{y}" width="{width:.1f}" height="{BAR}" rx="3" fill="{fill}"/>',
            f'<text x="{LABELS + width + 8:.1f}" y="{y + 13}">{told}</text>',
        ]
    lines += [f'<text x="16" y="{height - 12}" font-size="11">{escape(footer)}</text>', "</svg>"]
    return "\n".join(lines) + "\n"


def ratio(value: float) -> str:
    """As 0.24 times, 17 times."""
    return f"{value:.2g} times" if value < 10 else f"{value:.0f} times"


def write(path: Path, title: str, footer: str, bars: Sequence[Bar]) -> None:
    path.write_text(draw(title, footer, bars))
