"""I8, R7, R20: routines on the command line."""

from officectl.database.connect import connect

from .conftest import Officectl


def test_r20_a_routine_from_making_to_archiving(staffed: Officectl, database: str) -> None:
    made = staffed(
        "routine", "create", "brief", "triage", "-d", "Write about {{what}}.", "-o", "json",
        "--variables", '{"what": {"default": "all"}}',
    ).items[0]  # fmt: skip
    assert (made["routine"], made["status"]) == ("brief", "active")
    added = staffed(
        "routine", "trigger", "add", "brief", "-s", "0 9 * * *", "-z", "Europe/Berlin", "-o", "json"
    )
    trigger = added.items[0]["trigger_id"]
    listed = staffed("routine", "list", "-o", "json").items
    assert [(row["routine"], row["expression"]) for row in listed if row["agent"] == "triage"] == [
        ("brief", "0 9 * * *")
    ]

    # R6, sc-R10: a refused change leaves the old one.
    refused = staffed("routine", "trigger", "update", trigger, "-s", "0 0 30 2 *")
    assert refused.code == 1
    assert "never fires" in refused.err
    changed = staffed("routine", "trigger", "update", trigger, "-s", "30 8 * * *", "--json", "enabled").items
    assert changed == [{"enabled": True}]

    # A webhook's secret is shown once.
    hook = staffed("routine", "trigger", "add", "brief", "--webhook", "-o", "json").items[0]
    shown = staffed("routine", "show", "brief", "-o", "json")
    assert hook["secret"].startswith("whsec_")
    assert hook["secret"] not in shown.out
    assert f"/api/routine-triggers/{hook['public_id']}/fire" in shown.out

    assert staffed("routine", "fire", "brief", "--json", "status").items == [{"status": "received"}]
    assert staffed("routine", "fire", "brief", "--variables", '{"x": 1}').code == 1
    shown = staffed("routine", "show", "Brief", "-o", "json")
    (row,) = shown.items
    assert [(fire["source"], fire["status"]) for fire in row["fires"]] == [("manual", "received")]
    assert row["fires"][0]["variables"]["what"] == "all"
    assert [fire["expression"] for fire in row["next"]] == ["30 8 * * *"] * 5
    assert "FIRED AT" in staffed("routine", "show", "brief").out

    assert staffed("routine", "pause", "brief", "--reason", "holiday").code == 0
    assert staffed("routine", "fire", "brief").code == 1
    assert staffed("routine", "list", "--status", "paused", "--json", "routine").items[0] == {
        "routine": "brief"
    }
    assert staffed("routine", "resume", "brief").code == 0
    assert staffed("routine", "trigger", "remove", trigger, "--yes").code == 0
    assert staffed("routine", "archive", "brief", "--yes", "--json", "status").items == [
        {"status": "archived"}
    ]
    assert staffed("routine", "show", "brif").code == 1
    with connect(database) as connection:
        assert connection.execute("select * from office.audit()").fetchall() == []


def test_r7_a_preview_marks_what_a_change_of_the_clocks_does(staffed: Officectl) -> None:
    """Lord Howe: 02:00 to 02:30 is missing on 4 October 2026, 01:30 to 02:00 comes twice on 5 April."""

    def preview(expression: str, after: str) -> list[tuple[str, bool, str]]:
        rows = staffed(
            "routine",
            "preview",
            expression,
            "-z",
            "Australia/Lord_Howe",
            "--after",
            after,
            "-n",
            "3",
            "-o",
            "json",
        ).items
        return [
            (row["slot"], row["fires_at"] is not None, row["what"].split(":")[0].split(",")[0])
            for row in rows
        ]

    assert preview("15 2 * * *", "2026-10-02") == [
        ("2026-10-03T02:15:00", True, ""),
        ("2026-10-04T02:15:00", False, "skipped"),
        ("2026-10-05T02:15:00", True, ""),
        ("2026-10-06T02:15:00", True, ""),
    ]
    assert ("2026-04-05T01:45:00", True, "comes twice") in preview("45 1 * * *", "2026-04-03")
    # Asked between the two readings, before and after the clocks went back: the second one is folded away.
    assert preview("45 1 * * *", "2026-04-04T14:50:00")[0] == ("2026-04-05T01:45:00", False, "folded")
    assert preview("45 1 * * *", "2026-04-04T15:00:00")[0] == ("2026-04-05T01:45:00", False, "folded")
    assert "skipped" in staffed(
        "routine", "preview", "15 2 * * *", "-z", "Australia/Lord_Howe", "--after", "2026-10-02 00:00"
    ).out  # fmt: skip
    assert staffed("routine", "preview", "0 9 * * *", "-z", "CET").code == 1
