"""D9, S3: a program that asks: one that waits for the answer, and one that ends and is started again."""

from pathlib import Path

from .conftest import Desk, Process, Serving


def read(folder: Path) -> str:
    """What the programs were told."""
    return Path(folder, "told").read_text()


async def test_d9_a_program_that_ends_is_started_again_with_the_answer(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    """sc-D4: the same attempt, told what was decided, and once."""
    script = (
        'if [ -z "$OFFICE_ANSWERS" ]; then echo first >> told; officectl agent ask "Go?" > asked;'
        ' else printf "%s" "$OFFICE_ANSWERS" >> told; fi'
    )
    desk.agent("asker", script, tmp_path)
    async with serving():
        desk.wake("asker")
        asked = await desk.until(
            "select n.decision from office.needs_me n join office.attempts a on a.left_at is not null"
            " and a.cleaned_at is not null"
        )
        assert desk.row("select status from office.runs") == {"status": "waiting"}
        desk.rows("select * from office.answer(%s, 'no', 'not today')", asked["decision"])
        await desk.until("select from office.runs where result = 'succeeded'")
    told = read(tmp_path)
    assert told.startswith("first\n[")
    assert told.count("not today") == 1
    assert desk.rows("select number, outcome from office.attempts") == [{"number": 1, "outcome": "succeeded"}]
    assert desk.rows("select * from office.audit()") == []


async def test_d9_a_waiting_program_is_told_and_goes_on(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    """The answer comes on its channel, with no re-queue."""
    desk.agent(
        "asker", 'echo begun >> told; officectl agent ask "Go?" --wait > asked; cat asked >> told', tmp_path
    )
    async with serving():
        desk.wake("asker")
        asked = await desk.until("select decision from office.needs_me")
        desk.rows("select * from office.answer(%s, 'yes')", asked["decision"])
        await desk.until("select from office.runs where result = 'succeeded'")
    told = read(tmp_path)
    assert told.count("begun") == 1
    assert "yes" in told
    assert desk.rows("select * from office.audit()") == []


async def test_d9_a_waiting_run_outlives_its_worker(desk: Desk, serving: Serving, tmp_path: Path) -> None:
    """P3, sc-D8: its live program dies with the worker; the answer starts it again with the next."""
    script = 'if [ -n "$OFFICE_ANSWERS" ]; then exit 0; fi; officectl agent ask "Go?" --wait; exit 1'
    desk.agent("asker", script, tmp_path)
    async with serving():
        desk.wake("asker")
        asked = await desk.until("select decision from office.needs_me")
    assert desk.row("select status from office.runs") == {"status": "waiting"}
    async with serving():
        desk.rows("select * from office.answer(%s, 'yes')", asked["decision"])
        await desk.until("select from office.runs where result = 'succeeded'")
    assert desk.row("select count(*) as n from office.attempts") == {"n": 1}
    assert desk.rows("select * from office.audit()") == []


async def test_d2_a_killed_run_does_not_write_again_what_has_its_receipt(
    desk: Desk, process: Process, tmp_path: Path
) -> None:
    """sc-D4, D2: kill -9 of the server while it waits; restarted and answered, it goes on where it was."""
    script = (
        "officectl agent receipt letter || { echo letter >> sent; officectl agent receipt letter --done; };"
        " officectl agent checkpoint '{\"sent\": 1}' > saved;"
        ' officectl agent ask "Go on?" --wait > told; echo end >> sent'
    )
    desk.agent("clerk", script, tmp_path)
    first = process()
    desk.wake("clerk")
    asked = await desk.until("select decision from office.needs_me")
    first.kill()
    first.wait()
    process()
    await desk.until("select from office.attempts where left_at is not null")
    desk.rows("select * from office.answer(%s, 'yes')", asked["decision"])
    await desk.until("select from office.runs where result = 'succeeded'")
    assert (tmp_path / "sent").read_text() == "letter\nend\n"
    assert desk.row("select count(*)::int as attempts, max(launch) as launch from office.attempts") == {
        "attempts": 1,
        "launch": 2,
    }
    assert desk.row(
        "select saved_state from (select state as saved_state from office.checkpoints limit 1) c"
    ) == {"saved_state": {"sent": 1}}
    assert desk.rows("select * from office.audit()") == []


async def test_d2_what_is_allowed_holds_for_the_tree_it_was_asked_in(
    desk: Desk, serving: Serving, tmp_path: Path
) -> None:
    """sc-D9: permission asked, working tree changed, answered: not used, asked again."""
    script = (
        'officectl agent ask "Build?" --permission \'{"tool": "make"}\' --wait > "$HOME_OF_TEST/said";'
        ' echo built >> "$HOME_OF_TEST/built"'
    )
    tree, home = tmp_path / "tree", tmp_path / "home"
    tree.mkdir()
    home.mkdir()
    desk.agent("builder", script.replace("$HOME_OF_TEST", str(home)), tree)
    async with serving():
        desk.wake("builder")
        asked = await desk.until("select decision from office.needs_me")
        (tree / "changed").touch()
        desk.rows("select * from office.answer(%s, 'once')", asked["decision"])
        again = await desk.until("select decision from office.needs_me")
        assert again["decision"] != asked["decision"]
        assert not (home / "built").exists()
        desk.rows("select * from office.answer(%s, 'once')", again["decision"])
        await desk.until("select from office.runs where result = 'succeeded'")
    assert "once" in (home / "said").read_text()
    assert desk.rows("select status, reason from office.decisions order by number") == [
        {"status": "void", "reason": "The working tree changed."},
        {"status": "answered", "reason": None},
    ]
    assert desk.rows("select * from office.audit()") == []
