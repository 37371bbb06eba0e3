"""What sqlfluff cannot see: the bodies of functions, and the laws of style of docs/spec (A3, A5, A6).

Each check yields findings as "path:line: what is wrong".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pglast
from pglast import ast, enums, parser, visitors

ROOT = Path(__file__).resolve().parent.parent
LINE_LENGTH = 140
GIVEN_BY_PLPGSQL = re.compile(r"new|old|found|tg_\w+|sqlstate|sqlerrm|\(unnamed row\)|__\w+__", re.I)


@dataclass
class Function:
    """One `create function` of a file."""

    node: ast.CreateFunctionStmt
    text: str
    line: int

    @property
    def names(self) -> tuple[Any, ...]:
        """Schema, where one is given, and name."""
        return self.node.funcname or ()

    @property
    def schema(self) -> str:
        return str(self.names[0].sval) if len(self.names) > 1 else ""

    @property
    def name(self) -> str:
        return str(self.names[-1].sval)

    def option(self, name: str) -> Any:
        """The argument of an option ("language", "volatility", "as", "parallel"), or None."""
        return next((option.arg for option in self.node.options or () if option.defname == name), None)

    @property
    def language(self) -> str:
        return str(self.option("language").sval) if self.option("language") else "sql"

    @property
    def body(self) -> str | None:
        """The text between the dollar quotes; None for a body of the SQL standard."""
        return self.option("as")[0].sval if self.option("as") else None

    @property
    def body_line(self) -> int:
        """The line of the file on which the body begins."""
        return self.line + self.text[: self.text.index(self.body or "")].count("\n")

    @property
    def arguments(self) -> set[str]:
        return {argument.name for argument in self.node.parameters or () if argument.name}


def findings() -> Iterator[str]:
    """All findings over sql/ and tests/sql/."""
    for path in sorted(ROOT.glob("sql/**/*.sql")):
        for line, words in check_file(path):
            yield f"{path.relative_to(ROOT)}:{line}: {words}"
    for path in sorted(ROOT.glob("tests/sql/**/*.sql")):
        for words in check_test(path.read_text()):
            yield f"{path.relative_to(ROOT)}:1: {words}"


def check_file(path: Path) -> Iterator[tuple[int, str]]:
    """Findings in one file of sql/, as line and words."""
    text = path.read_text()
    yield from check_layout(text)
    try:
        statements = pglast.parse_sql(text)
    except parser.ParseError as error:
        yield line_at(text, error.args[1]), f"does not parse: {error.args[0]}"
        return
    yield from check_keywords(text, 1)
    if not path.name.endswith(".rollback.sql") and not text.startswith("-- "):
        yield 1, "a file begins with a comment that says what it does"
    functions = list(functions_of(text, statements))
    if path.is_relative_to(ROOT / "sql/functions"):
        yield from check_file_of_function(path, text, functions)
    for statement in statements:
        line = line_at(text, statement.stmt_location or 0)
        if isinstance(statement.stmt, ast.DoStmt):
            yield from check_plpgsql(source(text, statement), line, line, set())
        elif not isinstance(statement.stmt, ast.CreateFunctionStmt):
            yield from check_query(parsed(statement), line)
    for function in functions:
        yield from check_function(function)


def check_layout(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LINE_LENGTH:
            yield number, f"longer than {LINE_LENGTH} characters"
        if "\t" in line or line != line.rstrip():
            yield number, "a tab, or blanks at the end"
        if (len(line) - len(line.lstrip(" "))) % 2:
            yield number, "indented by an odd number of spaces"


def check_keywords(text: str, first_line: int) -> Iterator[tuple[int, str]]:
    for token in parser.scan(text):
        word = text[token.start : token.end + 1]
        if token.kind != "NO_KEYWORD" and word != word.lower():
            yield first_line + text[: token.start].count("\n"), f"{word}: keywords are written in lower case"


def functions_of(text: str, statements: tuple[ast.RawStmt, ...]) -> Iterator[Function]:
    for statement in statements:
        if isinstance(statement.stmt, ast.CreateFunctionStmt):
            raw = source(text, statement)
            blank = len(raw) - len(raw.lstrip())
            yield Function(
                statement.stmt, raw.lstrip(), line_at(text, (statement.stmt_location or 0) + blank)
            )


def source(text: str, statement: ast.RawStmt) -> str:
    """The text of one statement of a file, with the comments before it."""
    start = statement.stmt_location or 0
    return text[start : start + (statement.stmt_len or len(text))]


def parsed(statement: ast.RawStmt) -> ast.Node:
    """What the parser made of a statement; it leaves none empty."""
    assert statement.stmt is not None
    return statement.stmt


def check_file_of_function(path: Path, text: str, functions: list[Function]) -> Iterator[tuple[int, str]]:
    """A3: one public function a file, named after it, its private helpers beside it."""
    main = re.search(rf"\bcreate or replace function (office|office_internal)\.{path.stem}\(", text)
    if not main:
        yield 1, f"defines no function {path.stem}"
    elif not text.startswith(f"-- {main[1]}.{path.stem}: "):
        yield 1, f'the header begins "-- {main[1]}.{path.stem}: "'
    for function in functions:
        if function.schema == "office" and function.name != path.stem:
            yield function.line, f"office.{function.name} belongs into a file of its own"


def check_function(function: Function) -> Iterator[tuple[int, str]]:
    """A5: what every function says of itself, and what its body may hold."""
    volatility = function.option("volatility")
    if volatility is None:
        yield function.line, f"{function.name}: says neither immutable, stable nor volatile"
    elif volatility.sval != "volatile" and function.option("parallel") is None:
        yield function.line, f"{function.name}: does not say whether it is parallel safe"
    if function.body is None:
        yield from check_query(function.node, function.line)
    elif function.language == "sql":
        yield from check_keywords(function.body, function.body_line)
        for statement in pglast.parse_sql(function.body):
            yield from check_query(parsed(statement), function.body_line)
    elif function.language == "plpgsql":
        yield from check_keywords(function.body, function.body_line)
        # A variable may be named with its function's name before it, which the parser does not know.
        text = re.sub(rf"\b{function.name}\.", "", function.text)
        yield from check_plpgsql(text, function.line, function.body_line, function.arguments)


def check_plpgsql(
    text: str, first_line: int, body_line: int, arguments: set[str]
) -> Iterator[tuple[int, str]]:
    """A statement with a PL/pgSQL body, a function or DO, and the statements inside the body."""
    try:
        # The parser knows the types of two schemas only; any name is a type there, but no array of rows.
        text = re.sub(r"\boffice(_internal)?\.\w+\[\]", "text[]", text)
        tree = pglast.parse_plpgsql(re.sub(r"\boffice(_internal)?\.", "public.", text))
    except parser.ParseError as error:
        yield first_line, f"the body does not parse: {error.args[0]}"
        return
    for kind, node in nodes(tree):
        line = body_line + int(node.get("lineno", 1)) - 1
        if kind == "PLpgSQL_stmt_dynexecute":
            yield line, "dynamic SQL"
        elif kind in ("PLpgSQL_var", "PLpgSQL_rec", "PLpgSQL_row") and "lineno" in node:
            name = str(node["refname"])
            if not (name.startswith("v_") or name in arguments or GIVEN_BY_PLPGSQL.fullmatch(name)):
                yield line, f"{name}: variables are named v_…"
        elif kind == "PLpgSQL_expr":
            yield from check_expression(node, first_line)


def check_expression(node: dict[str, Any], line: int) -> Iterator[tuple[int, str]]:
    """A statement (mode 0) or an expression (mode 2) inside a body; assignments hold nothing to check."""
    query = {0: "", 2: "select "}.get(node["parseMode"])
    if query is not None:
        try:
            statements = pglast.parse_sql(query + node["query"])
        except parser.ParseError as error:
            yield line, f"does not parse: {error.args[0]}: {node['query'][:60]}"
            return
        for statement in statements:
            yield from check_query(parsed(statement), line)


def check_query(node: ast.Node, line: int) -> Iterator[tuple[int, str]]:
    locks = Locks()
    locks(node)
    yield from ((line, words) for words in locks.found)


class Locks(visitors.Visitor):
    """A5 and A6: CTEs that lock are materialized, and nothing is locked `for update`."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def visit_LockingClause(self, _: Any, node: ast.LockingClause) -> None:  # noqa: N802
        if node.strength == enums.LockClauseStrength.LCS_FORUPDATE:
            self.found.append("for update makes open inserts' foreign keys wait: write for no key update")

    def visit_CommonTableExpr(self, _: Any, node: ast.CommonTableExpr) -> None:  # noqa: N802
        locks = isinstance(node.ctequery, ast.SelectStmt) and node.ctequery.lockingClause
        if locks and node.ctematerialized != enums.CTEMaterialize.CTEMaterializeAlways:
            self.found.append(f"{node.ctename}: a CTE that locks is materialized")


def nodes(tree: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every node of PL/pgSQL's parse tree with its kind."""
    if isinstance(tree, list):
        for item in tree:
            yield from nodes(item)
    elif isinstance(tree, dict):
        for kind, value in tree.items():
            if kind.startswith("PLpgSQL_") and isinstance(value, dict):
                yield kind, value
            yield from nodes(value)


def check_test(text: str) -> Iterator[str]:
    """The frame of a pgTAP file (tests/sql/README.md)."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("--")]
    if lines[:2] != ["begin;", "set local search_path = tap, public;"]:
        yield "begins with: begin; set local search_path = tap, public;"
    if lines[-2:] != ["select * from finish();", "rollback;"]:
        yield "ends with: select * from finish(); rollback;"


def line_at(text: str, offset: int) -> int:
    return text[:offset].count("\n") + 1
