"""Each law of style that the lint knows can be broken, and is then found (A3, A5, A6)."""

from __future__ import annotations

from pathlib import Path

import lint_sql
import pytest

GOOD = """\
-- office.f: nothing.
create or replace function office.f(given integer)
returns integer
language plpgsql stable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_one integer;
begin
  with locked as materialized (select r.id from office.runs as r for no key update)
  select count(*) into v_one from locked;
  return v_one + f.given;
end
$$;
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(lint_sql, "ROOT", tmp_path)
    place = tmp_path / "sql/functions/noun"
    place.mkdir(parents=True)
    return place


def findings(folder: Path, text: str, name: str = "f.sql") -> str:
    (folder / name).write_text(text)
    return "\n".join(lint_sql.findings())


def test_good_sql_has_no_findings(folder: Path) -> None:
    assert findings(folder, GOOD) == ""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("-- office.f: nothing.", "-- Nothing.", "the header begins"),
        ("create or replace", "CREATE or replace", "CREATE: keywords"),
        ("begin\n", "BEGIN\n", "BEGIN: keywords"),
        ("  return v", "   return v", "odd number of spaces"),
        ("  return v", "\treturn v", "a tab"),
        ("nothing.", "x" * 140, "longer than 140"),
        (" stable parallel safe", " parallel safe", "neither immutable, stable nor volatile"),
        (" stable parallel safe", " stable", "parallel safe"),
        ("v_one", "one", "one: variables are named v_"),
        ("as materialized (", "as (", "a CTE that locks is materialized"),
        ("for no key update", "for update", "write for no key update"),
        ("  return v", "  execute 'select 1';\n  return v", "dynamic SQL"),
        ("select count(*) into", "selec count(*) into", "does not parse"),
        ("  return v_one + f.given;", "  return;;;", "does not parse"),
        ("office.f(given", "office.g(given", "defines no function f"),
        ("returns integer\n", "returns integer(\n", "does not parse"),
    ],
)
def test_what_breaks_a_law_is_found(folder: Path, old: str, new: str, words: str) -> None:
    assert words in findings(folder, GOOD.replace(old, new))


def test_two_public_functions_are_two_files(folder: Path) -> None:
    assert "belongs into a file of its own" in findings(folder, GOOD + GOOD.replace("office.f(", "office.g("))


def test_a_pgtap_file_without_its_frame_is_found(folder: Path) -> None:
    tests = folder.parents[2] / "tests/sql"
    tests.mkdir(parents=True)
    assert "ends with" in findings(tests, "begin;\nset local search_path = tap, public;\nselect plan(1);\n")
