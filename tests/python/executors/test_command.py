"""The `command` executor with real programs."""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from officectl.executors import ActiveClock, CommandExecutor
from officectl.executors.lines import CUT, LONGEST_LINE
from officectl.executors.program import OUTPUT_BYTES

from .conftest import LaunchMaker, Memory, python, until

ENVIRONMENT = "import json, os; print(json.dumps(dict(os.environ)))"


async def test_prompt_arrives_on_stdin_which_then_ends(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X1, X5: the whole prompt, then the end of input; lines are steps; the last line is the summary."""
    end = await CommandExecutor().run(launch("wc -c; echo done", prompt="é" * 100_000), sink, stop)
    assert end.error is None
    assert end.exit_code == 0
    assert end.result == {"summary": "done"}
    assert [str(line).strip() for line in sink.of("output")] == ["200000", "done"]
    assert sink.pid


async def test_prompt_as_an_argument_stands_behind_two_dashes(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X1: a prompt that looks like an option is none; stdin is closed at once."""
    code = "import sys; print(sys.argv[1:], sys.stdin.read() == '')"
    executor = {**python(code), "prompt": "argument"}
    end = await CommandExecutor().run(launch(executor=executor, prompt="--help; rm -rf $HOME"), sink, stop)
    assert end.result == {"summary": "['--', '--help; rm -rf $HOME'] True"}


async def test_a_program_that_never_reads_its_prompt_ends_well(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X5: a prompt larger than a pipe, unread."""
    end = await CommandExecutor().run(launch("exit 0", prompt="x" * 1_000_000), sink, stop)
    assert end.error is None


async def test_last_json_object_on_stdout_is_the_result(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X1: what comes after it in plain words, or is JSON but no object, changes nothing."""
    end = await CommandExecutor().run(
        launch("""echo '{"n": 1}'; echo '{"n": 2, "text": "a\\u0000b"}'; echo '[3]'; echo bye"""), sink, stop
    )
    assert end.result == {"n": 2, "text": "a\ufffdb"}
    assert sink.of("output") == ['{"n": 1}', '{"n": 2, "text": "a\\u0000b"}', "[3]", "bye"]


@pytest.mark.parametrize(
    "line",
    ['{"a": NaN}', '{"a": 1e999}', "{broken", '{"a":' * 5_000],
    ids=["nan", "infinite", "broken", "deep"],
)
async def test_json_that_postgres_cannot_hold_is_text(
    line: str, launch: LaunchMaker, sink: Memory, stop: asyncio.Event, tmp_path: Path
) -> None:
    """X5: what is not JSON is kept as output."""
    (tmp_path / "line").write_text(line)
    end = await CommandExecutor().run(launch("cat line"), sink, stop)
    assert end.result == {"summary": line}
    assert sink.of("output") == [line]


async def test_a_failure_tells_the_last_lines_of_stderr(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X1, Q24: exit code and complaint, and not what it printed on stdout."""
    end = await CommandExecutor().run(launch("echo 429; echo first >&2; echo second >&2; exit 7"), sink, stop)
    assert end.error == "exit 7: first\nsecond"
    assert end.exit_code == 7
    assert end.cause == "failure"
    assert sink.of("error") == ["first", "second"]


async def test_an_end_by_a_signal_is_named(launch: LaunchMaker, sink: Memory, stop: asyncio.Event) -> None:
    """X1: with the exit code that a shell would give."""
    end = await CommandExecutor().run(launch("kill -SEGV $$"), sink, stop)
    assert end.error == "ended by SIGSEGV"
    assert end.exit_code == 139
    end = await CommandExecutor().run(launch("kill -40 $$"), sink, stop)
    assert end.error == "ended by signal 40"
    assert end.exit_code == 168


@pytest.mark.parametrize(
    ("executor", "says"),
    [
        ({"command": ["/no/such/program"]}, "No such file or directory: '/no/such/program'"),
        ({"command": ["no-such-program"]}, "No such file or directory: 'no-such-program'"),
        ({"command": ["/etc/passwd"]}, "Permission denied: '/etc/passwd'"),
        ({"command": ["a\0b"]}, "embedded null byte"),
    ],
)
async def test_what_cannot_be_started_is_a_fault_of_configuration(
    executor: dict[str, Any], says: str, launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X4, Q23: only a person can mend it, and the error says what."""
    end = await CommandExecutor().run(launch(executor=executor), sink, stop)
    assert end.cause == "configuration"
    assert says in (end.error or "")


async def test_a_missing_folder_is_a_fault_of_configuration(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event, tmp_path: Path
) -> None:
    """X4, Q23: and it is named."""
    nowhere = tmp_path / "nowhere"
    end = await CommandExecutor().run(launch("pwd", folder=nowhere), sink, stop)
    assert end.cause == "configuration"
    assert str(nowhere) in (end.error or "")


async def test_the_program_runs_in_its_folder(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event, tmp_path: Path
) -> None:
    """X1."""
    end = await CommandExecutor().run(launch("pwd"), sink, stop)
    assert end.result == {"summary": str(tmp_path)}


async def test_the_environment_is_an_allow_list(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X1, X2: what is named passes; the worker's way to its database and a CLI's signs never do."""
    hidden = ("OFFICE_DSN", "OFFICE_DIRECT_DSN", "OFFICE_PASSWORD", "PGPASSWORD", "PGHOST", "CLAUDECODE")
    for name in ("MY_KEY", "OTHER", "LC_TIME", *hidden):
        monkeypatch.setenv(name, "the worker's")
    executor = {
        **python(ENVIRONMENT),
        "pass_environment": ["MY_KEY", *hidden],
        "environment": {
            "OWN": "6",
            "PORT": "8",
            "PGHOST": "elsewhere",
            "OFFICE_DSN": "no",
            "CLAUDECODE": "no",
        },
    }
    attempt = launch(executor=executor, environment={"OFFICE_RUN": "r1", "OWN": "9"})
    end = await CommandExecutor().run(attempt, sink, stop)
    seen = end.result
    told = {"MY_KEY": "the worker's", "OFFICE_RUN": "r1", "OWN": "9", "PORT": "8", "PGHOST": "elsewhere"}
    assert told.items() <= seen.items()
    assert attempt.mark.environment.items() <= seen.items()
    assert seen["HOME"] == os.environ["HOME"]
    assert not ({"OTHER", "LC_TIME", *hidden} - {"PGHOST"}) & set(seen)


async def test_a_long_line_is_cut_and_marked(launch: LaunchMaker, sink: Memory, stop: asyncio.Event) -> None:
    """X5: 1 MB a line; the rest of the line is skipped, the next line is whole."""
    code = f"print('x' * {LONGEST_LINE + 500_000}); print('next')"
    end = await CommandExecutor().run(launch(executor=python(code)), sink, stop)
    assert sink.of("output") == ["x" * LONGEST_LINE + CUT, "next"]
    assert end.result == {"summary": "next"}


async def test_output_is_kept_up_to_a_limit(launch: LaunchMaker, sink: Memory, stop: asyncio.Event) -> None:
    """X5: 2 MB an attempt, then one marker; the result is found all the same."""
    code = "for _ in range(400): print('x' * 9999)\nprint('{\"found\": true}')"
    end = await CommandExecutor().run(launch(executor=python(code)), sink, stop)
    kept = sum(len(str(line)) for line in sink.of("output"))
    assert OUTPUT_BYTES - 20_000 < kept <= OUTPUT_BYTES
    assert len(sink.of("note")) == 1
    assert sink.steps[-1][0] == "note"
    assert end.result == {"found": True}


async def test_bytes_that_are_no_text_are_replaced(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X5: Postgres stores neither NUL nor broken UTF-8; a last line without its end counts."""
    await CommandExecutor().run(launch(r"printf 'a\000b\377c\r\nlast'"), sink, stop)
    assert sink.of("output") == ["a\ufffdb\ufffdc", "last"]


async def test_silence_ends_the_attempt_as_a_failure(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X5, K15: counted from the last byte printed; a retry may help."""
    begun = time.monotonic()
    end = await CommandExecutor().run(
        launch("printf hello; exec sleep 60", limits={"silence_seconds": 0.3}), sink, stop
    )
    assert end.error == "It printed nothing for 0.3 seconds."
    assert end.cause == "failure"
    assert time.monotonic() - begun < 20


async def test_minutes_end_the_attempt_as_a_limit(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """S6: however much it prints."""
    end = await CommandExecutor().run(
        launch("while :; do echo on; sleep 0.05; done", limits={"minutes": 0.01, "silence_seconds": 60}),
        sink,
        stop,
    )
    assert end.cause == "limit"
    assert "0.01 minutes" in (end.error or "")


async def test_minutes_of_earlier_launches_count(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """S6: a launch after an answer has what is left of them; silence is its own."""
    sink.clock = ActiveClock(worked=59.5)
    end = await CommandExecutor().run(
        launch("sleep 60", limits={"minutes": 1, "silence_seconds": 30}), sink, stop
    )
    assert (end.cause, end.error) == ("limit", "It ran for 1 minutes, its limit.")


async def test_no_time_passes_while_the_run_waits_for_a_person(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event, tmp_path: Path
) -> None:
    """S6: waiting uses no minutes, and is no silence; what was used before counts on afterwards."""
    limits = {"minutes": 0.8 / 60, "silence_seconds": 0.4}
    sink.clock.pause()
    script = "touch up; while [ ! -e go ]; do sleep 0.01; done; sleep 60"
    run = asyncio.create_task(CommandExecutor().run(launch(script, limits=limits), sink, stop))
    await until((tmp_path / "up").exists)
    # More than each of both limits; were it counted, the program would be stopped meanwhile.
    await asyncio.wait((run,), timeout=1.0)
    assert not run.done()
    assert sink.clock.seconds < 0.4
    sink.clock.go_on()
    (tmp_path / "go").touch()
    end = await asyncio.wait_for(run, 20)
    assert end.error == "It printed nothing for 0.4 seconds."


async def test_a_frozen_program_is_stopped(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event, tmp_path: Path
) -> None:
    """P2, K15: it neither hears a signal nor prints; KILL ends what has stopped itself, and its children."""
    script = "sleep 60 & echo $! > child; echo $$ > pid.part; mv pid.part pid; kill -STOP $$; sleep 60"
    run = asyncio.create_task(CommandExecutor().run(launch(script), sink, stop))
    await until((tmp_path / "pid").exists)
    pid = int((tmp_path / "pid").read_text())
    await until(lambda: psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    stop.set()
    end = await asyncio.wait_for(run, 30)
    assert end.stopped
    assert not psutil.pid_exists(pid)
    assert not psutil.pid_exists(int((tmp_path / "child").read_text()))


async def test_a_stop_before_the_start_starts_nothing(
    launch: LaunchMaker, stop: asyncio.Event, tmp_path: Path
) -> None:
    """P2: the office says `stopping` when the attempt is reported as started; the program never runs."""
    end = await CommandExecutor().run(launch("touch ran"), Memory(on_start=stop.set), stop)
    assert end.error == "It was stopped before its program started."
    assert not (tmp_path / "ran").exists()


async def test_a_program_may_end_in_peace_when_it_is_stopped(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event, tmp_path: Path
) -> None:
    """P2: INT comes first, and what the program says then is still kept."""
    code = """
import pathlib, signal, sys, time
def end(*_):
    print("saved"); sys.exit(0)
signal.signal(signal.SIGINT, end)
pathlib.Path("ready").touch()
time.sleep(60)
"""
    running = asyncio.create_task(CommandExecutor().run(launch(executor=python(code)), sink, stop))
    await until((tmp_path / "ready").exists)
    stop.set()
    end = await running
    assert end.error == "It was stopped."
    assert sink.of("output") == ["saved"]


async def test_a_program_that_prints_for_ever_is_stopped_and_does_not_fill_memory(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X5: nothing is kept after the limit, and the worker's loop stays free."""
    running = asyncio.create_task(CommandExecutor().run(launch("exec yes"), sink, stop))
    await until(lambda: sink.of("note"))
    stop.set()
    end = await asyncio.wait_for(running, 20)
    assert end.error == "It was stopped."
    assert len(sink.of("note")) == 1


async def test_a_pipe_held_open_after_the_end_does_not_hang(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X5, X6: a child that inherited stdout outlives its parent for a moment only."""
    begun = time.monotonic()
    end = await CommandExecutor().run(launch("sleep 60 & echo started"), sink, stop)
    assert end.error is None
    assert end.killed == 1
    assert sink.of("output") == ["started"]
    assert time.monotonic() - begun < 20


async def test_the_last_words_of_a_helper_are_heard(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event
) -> None:
    """X6: a process that ends by itself soon after the program is not cut off."""
    end = await CommandExecutor().run(launch("(sleep 0.05; echo late) & echo early"), sink, stop)
    assert sink.of("output") == ["early", "late"]
    assert end.killed == 0


async def test_officectl_is_found_by_the_program(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X2: also when the worker's PATH does not have it."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    end = await CommandExecutor().run(
        launch(executor={"command": [sys.executable, "-c", ENVIRONMENT]}), sink, stop
    )
    assert str(Path(sys.executable).parent) in end.result["PATH"].split(":")


FREEZE = "kill -STOP $PPID; sleep 1; exit 0"


@pytest.mark.parametrize("limits", [{"silence_seconds": 2}, {"minutes": 2 / 60}], ids=["silence", "minutes"])
async def test_a_limit_ends_a_program_that_stopped_its_keeper(
    limits: dict[str, Any],
    launch: LaunchMaker,
    sink: Memory,
    stop: asyncio.Event,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """P2, K15: the keeper never tells the end; it is killed, and the failure says so."""
    monkeypatch.setattr("officectl.executors.family.ANSWER_WITHIN", 0.0)
    end = await asyncio.wait_for(CommandExecutor().run(launch(FREEZE, limits=limits), sink, stop), 20)
    assert end.error
    assert "Its keeper did not answer" in end.error
    assert end.killed == 0
    assert sink.pid
    assert not psutil.pid_exists(sink.pid)


async def test_a_stop_ends_a_program_that_stopped_its_keeper(
    launch: LaunchMaker, sink: Memory, stop: asyncio.Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P2, K15: it still runs, does not listen, and is killed with its keeper."""
    monkeypatch.setattr("officectl.executors.family.ANSWER_WITHIN", 0.0)
    script = "trap '' INT TERM; kill -STOP $PPID; echo $$ > pid.part; mv pid.part pid; sleep 60; sleep 60"
    run = asyncio.create_task(CommandExecutor().run(launch(script), sink, stop))
    await until((tmp_path / "pid").exists)
    stop.set()
    end = await asyncio.wait_for(run, 20)
    assert end.stopped
    assert end.error
    assert "Its keeper did not answer" in end.error
    assert end.killed
    assert sink.pid
    assert not psutil.pid_exists(sink.pid)
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))
