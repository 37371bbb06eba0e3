"""The collector of pgTAP files reads plans, results, directives and diagnosis (A14)."""

from __future__ import annotations

from support.tap import read_tap

OUTPUT = """\
1..4
ok 1 - first
not ok 2 - second - with a dash
# Failed test 2: "second"
#         have: 1
ok 3 - third # SKIP no server
ok 4
"""


def test_every_line_is_an_assertion_with_its_diagnosis() -> None:
    plan, skipped, assertions = read_tap(OUTPUT)
    assert (plan, skipped) == (4, None)
    assert [(a.number, a.passed, a.description, a.directive) for a in assertions] == [
        (1, True, "first", ""),
        (2, False, "second - with a dash", ""),
        (3, True, "third", "SKIP"),
        (4, True, "", ""),
    ]
    assert assertions[1].diagnosis == ['# Failed test 2: "second"', "#         have: 1"]
    assert assertions[2].reason == "no server"


def test_a_file_can_be_skipped_whole() -> None:
    assert read_tap("1..0 # SKIP nothing to do\n") == (0, "nothing to do", [])
