"""Targets of `packs export`: files are replaced as a whole, pipes and devices are written to."""

import gzip
import json
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from processes import one_line, run, shell, words
from sample_records import add_puzzles, filled, sampled

from minesweeper.db import Store, formats

pytestmark = pytest.mark.faults

COUNT = 3


@pytest.fixture(autouse=True)
def database(folder: Path) -> None:
    filled(folder / "minesweeper.db", COUNT)


@pytest.mark.parametrize("name", ["pipe", "pipe.db", "pipe.parquet"])
def test_writes_to_a_pipe(name: str) -> None:
    os.mkfifo(name)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(Path(name).read_bytes()))
    reader.start()
    result = run("packs", "export", name)
    reader.join()
    assert (result.returncode, result.stderr) == (0, f"{COUNT} puzzles written to {name}\n")
    assert stat.S_ISFIFO(os.stat(name).st_mode)
    arrived = Path(f"arrived{Path(name).suffix or '.jsonl'}")
    arrived.write_bytes(received[0])
    with formats.reading(arrived) as found:
        assert len(list(found)) == COUNT


def test_writes_to_a_device() -> None:
    # Copies of /dev/null and /dev/full, which only root can make.
    for number, code in ((3, 0), (7, 2)) if os.geteuid() == 0 else ():
        os.mknod(f"device{number}", stat.S_IFCHR | 0o666, os.makedev(1, number))
        result = run("packs", "export", f"device{number}")
        assert result.returncode == code
        assert stat.S_ISCHR(os.stat(f"device{number}").st_mode)
        if code:
            assert one_line(result.stderr) == "Error: No space left on device: 'device7'\n"


def test_writes_json_lines_to_open_descriptors(folder: Path) -> None:
    assert shell("packs export >(gzip >pack.jsonl.gz); wait $!", folder).returncode == 0
    assert len(gzip.decompress(Path("pack.jsonl.gz").read_bytes()).splitlines()) == COUNT
    assert len(shell("packs export /dev/stdout", folder).stdout.splitlines()) == COUNT
    assert shell("packs export /dev/stdout | head -n 1", folder).stdout.count("\n") == 1


def test_appends_where_the_shell_appends(folder: Path) -> None:
    assert shell("echo '{}' >log; packs export /dev/stdout >>log", folder).returncode == 0
    first, *others = Path("log").read_text().splitlines()
    assert (first, len(others)) == ("{}", COUNT)
    assert all("board" in json.loads(line) for line in others)


def test_names_a_broken_pipe() -> None:
    os.mkfifo("pipe")
    with Store("minesweeper.db") as store:
        add_puzzles(store, map(sampled, range(COUNT, 1500)), 1500)
    exporting = subprocess.Popen(words("packs", "export", "pipe"), stderr=subprocess.PIPE, text=True)
    with open("pipe", "rb"):
        pass
    assert one_line(exporting.communicate(timeout=60)[1]) == "Error: Broken pipe: 'pipe'\n"
    assert exporting.returncode == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_no_temporary_file(number: signal.Signals, tmp_path: Path) -> None:
    program = (
        "import os, signal; from pathlib import Path; from minesweeper.db.formats.target import atomic_write\n"
        f"signal.signal({number:d}, signal.SIG_DFL)\n"  # nohup ignores SIGHUP
        f"with atomic_write(Path('pack')): os.kill(os.getpid(), {number:d})"
    )
    empty = tmp_path / "empty"
    empty.mkdir()
    done = subprocess.run([sys.executable, "-c", program], cwd=empty, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (128 + number, "")
    assert list(empty.iterdir()) == []
