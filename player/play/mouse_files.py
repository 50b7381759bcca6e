"""Recorded games as files: rawvf, the text of all programs, and mvf of Minesweeper Clone.

No specification of mvf exists. The parser of thefinerminer/minesweeper-rawvf is the source of its facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import cos, sin, sqrt
from typing import Final

from minesweeper.player.core.board import Board
from minesweeper.player.core.errors import BoardError
from minesweeper.player.core.grid import Grid
from minesweeper.player.play.mouse import PRESSES, RELEASES, SIDE, MouseEvent, RecordedMouse

_EVENT: Final = re.compile(r"(-?\d+\.\d+)\s+([a-z]+)(?:\s+\d+\s+\d+)?(?:\s+\((-?\d+)\s+(-?\d+)\))?")
_OTHERS: Final = ("mv", "mt", "start", "won", "boom", "nonstandard")
_BUTTONS: Final = ("l", "r", "m")


_State = tuple[float, tuple[int, int, int], int, int]
"""A moment in seconds, the left, right and middle button, not 0 if pressed, and a place."""


def read_rawvf(text: str) -> RecordedMouse:
    """Read a game in the format rawvf. Raises `BoardError`."""
    lines = [line.strip() for line in text.splitlines()]
    begin = next((number for number, line in enumerate(lines) if line == "Board:"), len(lines))
    facts = {key.strip().lower(): value.strip() for key, _, value in (line.partition(":") for line in lines[:begin])}
    rows = []
    for line in lines[begin + 1 :]:
        if line and not set(line) <= {"*", "0"}:
            break
        rows += [line.replace("0", ".")] * bool(line)
    if not rows:
        raise BoardError("no board; expected a line 'Board:' and rows of 0 and *")
    return RecordedMouse(
        Board.from_text("\n".join(rows)),
        tuple(_rawvf_events(lines, begin)),
        float(facts.get("squaresize", SIDE)),
        facts.get("marks", "").lower() == "on",
        float(facts["time"]) if "time" in facts else None,
        " ".join(filter(None, (facts.get("program"), facts.get("version")))),
        facts.get("player", ""),
        facts.get("mode", "standard").lower().replace("classic", "standard"),
    )


def _rawvf_events(lines: Sequence[str], begin: int) -> Iterator[MouseEvent]:
    before = float("-inf")
    for number, line in enumerate(lines[begin:], begin + 1):
        found = _EVENT.match(line)
        if found is None:
            continue  # Lines without a time repeat the changes of the board.
        if found[2] not in (*PRESSES, *RELEASES, *_OTHERS):
            raise BoardError(f"line {number}: unknown event {found[2]!r}")
        seconds = float(found[1])
        if seconds < before:
            raise BoardError(f"line {number}: the time runs backwards, from {before:g} to {seconds:g} s")
        before = seconds
        if found[3] is not None:
            yield MouseEvent(seconds, found[2], int(found[3]), int(found[4]))


def write_rawvf(game: RecordedMouse) -> str:
    """Return the game as rawvf."""
    board = game.board
    facts = {
        "RawVF_Version": "Rev6",
        "Program": game.program,
        "Player": game.player,
        "Width": board.cols,
        "Height": board.rows,
        "Mines": board.mines,
        "Marks": "On" if game.marks else "Off",
        "Time": f"{game.seconds or 0:.3f}",
        "Mode": game.mode,
    }
    lines = [f"{key}: {value}" for key, value in facts.items()]
    lines += ["Board:", *board.to_text().replace(".", "0").splitlines(), "Events:", "0.000 start"]
    last = {"l": "lr", "r": "rr"}
    for seconds, kind, *place in game.events:
        x, y = (int(one * SIDE / game.side) for one in place)
        # The format has neither flags from before the game nor a press of the second button.
        second = "rc" if last["l"] == "lc" else "lc"
        for written in {"pf": ("rc", "rr"), "cc": (second,)}.get(kind, (kind,)):
            last[written[0]] = written
            lines.append(f"{seconds:.3f} {written} {x // SIDE + 1} {y // SIDE + 1} ({x} {y})")
    return "\n".join(lines) + "\n"


def with_utf8_names(rmv: bytes) -> bytes:
    """Return an rmv file in which question marks replace the bytes of its texts that are not UTF-8."""
    # The sizes of the texts stand in the header, two of them from version 2, otherwise three.
    at, count, begin = (12, 2, 30) if rmv[5:6] == b"\2" else (10, 3, 28)
    end = begin + sum(int.from_bytes(rmv[one : one + 2], "big") for one in range(at, at + 2 * count, 2))
    texts = re.sub("[\udc80-\udcff]", "?", rmv[begin:end].decode(errors="surrogateescape"))
    return rmv[:begin] + texts.encode() + rmv[end:]


def read_mvf(data: bytes) -> RecordedMouse:
    """Read a game of Minesweeper Clone, from 0.76 beta to 2007. Raises `BoardError`."""
    try:
        return _read_mvf(data)
    except (IndexError, ValueError) as error:
        raise BoardError("expected a complete mvf file") from error


def _read_mvf(data: bytes) -> RecordedMouse:
    year = data[27:28] if data[:2] == b"\x11M" else b""
    if year in (b"6", b"7"):
        return _permuted(data, 71, data[54 : 54 + data[53]].decode("ascii", "replace"), 6)
    if year in (b"5", b"8"):
        return _permuted(data, 74, "0.97 beta", 5)
    return _permuted(data, 7, "0.97 beta", 5) if data[:2] == b"\0\0" else _plain(data)


def _permuted(data: bytes, at: int, version: str, width: int) -> RecordedMouse:
    """Read a game of 0.97 to 2007, whose events have their bits in an order that depends on two bytes before them."""
    mode, late = data[at + 8], width == 6
    at += 9
    seconds = int.from_bytes(data[at : at + 3], "big") / 1000 if late else _hundredths(data[at : at + 3])
    at += 3 if late else 13
    board, begin = _board(data, at + 1, first=1)
    name = data[begin + 1 : begin + 1 + data[begin]]
    begin += 1 + len(name)
    one, two = (
        sqrt(int.from_bytes(data[begin : begin + 2], "big")),
        sqrt(int.from_bytes(data[begin : begin + 2], "big") + 1000),
    )
    three, four = sqrt(one + 1000), sqrt(two + 1000)
    waves = cos(three + 1000), sin(sqrt(two)), cos(three), sin(sqrt(one) + 1000), cos(four), sin(four)
    digits = "".join(f"{round(abs(wave) * 10**8):08d}" for wave in waves[:width])
    order = sorted(range(8 * width), key=digits.__getitem__)
    count = int.from_bytes(data[begin + 2 : begin + 5], "big")
    states: list[_State] = []
    for start in range(begin + 5, begin + 5 + width * count, width):
        if start + width > len(data):
            raise IndexError
        word = int.from_bytes(data[start : start + width], "little")
        bits = [word >> place & 1 for place in order]
        fields = (3, 14, 25, 47) if late else (3, 12, 21, 28, 38)
        y, x, *time = (sum(bit << k for k, bit in enumerate(bits[a:b])) for a, b in pairwise(fields))
        moment = time[0] / 1000 if late else time[1] + time[0] / 100
        states.append((moment, (bits[2], bits[0], bits[1]), x - 32 * late, y - 32 * late))
    return _of_states(board, states, bool(data[at]), seconds, version, name, mode)


def _plain(data: bytes) -> RecordedMouse:
    """Read a game of 0.96 beta or earlier; the versions end with different checksums."""
    board, begin = _board(data, 0, first=0)
    if not data[-1:].isdigit() and not data[-22:-21].isdigit():
        version, end = "0.96 beta or earlier", len(data) - 125
    elif data[-13:-10] == b"   ":
        version, end = "0.76 beta", len(data) - 113
    else:
        version, end = "0.75 beta or earlier", len(data) - 13
    seconds = _hundredths(data[end : end + 3])
    name = data[end + 3 : end + 103].strip() if version != "0.75 beta or earlier" else b""
    states: list[_State] = []
    for start in range(begin + 2, end, 8):
        second, hundredth, buttons, *place = data[start : start + 7]
        moment = second + hundredth / 100
        if (states and moment < states[-1][0]) or moment > seconds:
            break
        pressed = buttons & 1, buttons & 4, buttons & 2
        states.append((moment, pressed, place[0] * 256 + place[1], place[2] * 256 + place[3]))
    # The release that ends the game is not stored.
    states.append((states[-1][0], (0, 0, 0), *states[-1][2:]))
    return _of_states(board, states, bool(data[begin]), seconds, version, name, 1)


def _board(data: bytes, at: int, first: int) -> tuple[Board, int]:
    """Return the board at a place, whose columns and rows count from `first`, and the place after it."""
    cols, rows, mines = data[at], data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
    end = at + 4 + 2 * mines
    cells = [(data[place + 1] - first, data[place] - first) for place in range(at + 4, end, 2)]
    return Board.from_cells(Grid(rows, cols), cells), end


def _hundredths(data: bytes) -> float:
    return data[0] * 256 + data[1] + data[2] / 100


def _of_states(
    board: Board,
    states: Sequence[_State],
    marks: bool,
    seconds: float,
    version: str,
    name: bytes,
    mode: int,
) -> RecordedMouse:
    """Return a game whose file has the state of the buttons at each event. The first press is not stored."""
    events: list[MouseEvent] = []
    before, place = (0, 0, 0), None
    for moment, buttons, x, y in states:
        if place != (x, y):
            events.append(MouseEvent(moment, "mv", x, y))
        for suffix, pressed in (("c", True), ("r", False)):
            for button, now, then in zip(_BUTTONS, buttons, before, strict=True):
                if bool(now) != bool(then) and bool(now) == pressed:
                    events.append(MouseEvent(moment, button + suffix, x, y))
        before, place = buttons, (x, y)
    modes = ("", "standard", "density", "UPK", "cheat")
    return RecordedMouse(
        board,
        events,
        SIDE,
        marks,
        seconds,
        f"Minesweeper Clone {version}",
        name.decode("utf-8", "replace").strip(),
        modes[min(mode, 4)],
    )
