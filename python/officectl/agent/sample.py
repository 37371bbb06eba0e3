"""A small source tree for the demo's agents to work on: a shop that is not quite done.

Its comments of work left say LEFT here, and TODO once written: this module has no such comment of its own.
"""

from pathlib import Path

FILES = {
    "README.md": """\
# Shop

Takes orders, keeps stock, sends invoices.

<!-- LEFT: say how to run the tests -->
""",
    "shop/orders.py": '''\
"""Orders: what customers asked for."""

from dataclasses import dataclass

from shop.stock import take


@dataclass(frozen=True)
class Order:
    number: int
    item: str
    amount: int


def place(order: Order) -> None:
    # LEFT: an order for zero pieces is taken without a word
    take(order.item, order.amount)


def cancel(order: Order) -> None:
    # LEFT: give the pieces back to the stock
    raise NotImplementedError
''',
    "shop/stock.py": '''\
"""Stock: what is there."""

PIECES = {"chair": 12, "table": 3, "lamp": 0}


def take(item: str, amount: int) -> None:
    if PIECES[item] < amount:  # LEFT: a missing item should be told apart from too few
        raise ValueError(f"only {PIECES[item]} of {item} left")
    PIECES[item] -= amount
''',
    "schema/invoices.sql": """\
create table invoices (
  number bigint generated always as identity primary key,
  order_number bigint not null,
  cents bigint not null check (cents >= 0) -- LEFT: currencies
);
""",
    "web/cart.js": """\
export function total(lines) {
  // LEFT: discounts
  return lines.reduce((sum, line) => sum + line.amount * line.price, 0);
}
""",
}


def write_sample(folder: Path) -> None:
    """Writes the tree below the folder, over what an earlier demo left there."""
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.replace("LEFT:", "TODO:"), encoding="utf-8")
