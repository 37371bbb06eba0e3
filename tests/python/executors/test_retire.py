"""N3: an engine's session of retired work is deleted where its preset knows its files, and nothing else."""

from pathlib import Path

import pytest

from officectl.executors.retire import delete_session

SESSION = "4e8cab66-5196-42af-ab5d-51f7dcb0bc7e"
OTHER = "5e8cab66-5196-42af-ab5d-51f7dcb0bc7e"
KEPT = {
    "claude": ".claude/projects/-srv-shop/{}.jsonl",
    "codex": ".codex/sessions/2026/12/01/rollout-2026-12-01T10-00-00-{}.jsonl",
}


def kept(home: Path, preset: str, session: str) -> Path:
    file = home / KEPT[preset].format(session)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    return file


@pytest.mark.parametrize("preset", sorted(KEPT))
def test_its_files_go_and_those_of_others_stay(preset: str, tmp_path: Path) -> None:
    file, other = kept(tmp_path, preset, SESSION), kept(tmp_path, preset, OTHER)
    executor = {"preset": preset, "environment": {"HOME": str(tmp_path)}}
    assert delete_session(executor, SESSION) == "deleted"
    assert (file.exists(), other.exists()) == (False, True)
    assert delete_session(executor, SESSION) == "not_there"


@pytest.mark.parametrize(("preset", "variable"), [("claude", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")])
def test_the_folder_that_the_program_was_told_of(preset: str, variable: str, tmp_path: Path) -> None:
    file = kept(tmp_path, preset, SESSION)
    folder = tmp_path / f".{preset}"
    assert delete_session({"preset": preset, "environment": {variable: str(folder)}}, SESSION) == "deleted"
    assert not file.exists()


@pytest.mark.parametrize("session", ["*", "../../x", "", f"{SESSION}*", SESSION.replace("-", "/")])
def test_what_is_no_id_names_no_file(session: str, tmp_path: Path) -> None:
    file = kept(tmp_path, "claude", SESSION)
    assert delete_session({"preset": "claude", "environment": {"HOME": str(tmp_path)}}, session) == "unknown"
    assert file.exists()


@pytest.mark.parametrize("executor", [{"preset": "opencode"}, {"command": ["/bin/true"]}, {"kind": "acp"}])
def test_what_keeps_its_sessions_elsewhere_is_left_alone(executor: dict[str, object]) -> None:
    assert delete_session(executor, SESSION) == "unknown"
