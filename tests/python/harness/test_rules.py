"""`make rules` finds definitions and mentions."""

from __future__ import annotations

from pathlib import Path

import pytest
import rules


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Q5: what merged too late", {"Q5"}),
        ("see Q5, T12", {"Q5", "T12"}),
        ("Q7-Q9 and R3 to R5", {"Q7", "Q8", "Q9", "R3", "R4", "R5"}),
        ("sc-W8 and sc-R2", {"sc-W8", "sc-R2"}),
        ("def test_q5_carries_on(): ...", {"Q5"}),
        ("def test_sc_w8_five_children(): ...", {"sc-W8"}),
        ("PT409, UTF8, t97, K", set()),
    ],
)
def test_mentions(text: str, found: set[str]) -> None:
    assert set(rules.mentioned(text)) == found


def test_definitions(tmp_path: Path) -> None:
    page = tmp_path / "queue.md"
    page.write_text("Q1. Every wake.\nQ2. Sources, as in Q1. And\nno Q3 here\n")
    assert rules.defined([page], rules.RULE) == ["Q1", "Q2"]


def test_the_samples_of_this_file_prove_nothing() -> None:
    files = rules.tests()
    assert Path(__file__) not in files
    assert Path(__file__).with_name("test_tap.py") in files
