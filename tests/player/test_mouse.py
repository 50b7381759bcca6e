"""Games as the events of a mouse: what the buttons do, the measures, and the files of other programs."""

import math
import random
from pathlib import Path

import ms_toollib
import pytest
from recordings import Recorder, record

from minesweeper import Grid, Recipe
from minesweeper.player.core.board import Board
from minesweeper.player.core.errors import BoardError, FormatError
from minesweeper.player.play.judgement import Verdict
from minesweeper.player.play.mouse_files import with_utf8_names
from minesweeper.player.play.recorded_games import (
    RecordedClick,
    Recording,
    record_game,
    recording_of,
    review_recording,
    to_rawvf,
)

BOARD = Board.from_text("*....\n....*")
ANN = b"Ann".ljust(100)


def rawvf(board: Board, script: str, *facts: str) -> bytes:
    """Return a game of events such as ``lc12``, a press in row 1 and column 2, one every second; 9 is outside."""
    events = [
        f"{time}.000 {one[:2]} ({16 * int(one[3]) + 8} {16 * int(one[2]) + 8})"
        for time, one in enumerate(script.split())
    ]
    return "\n".join([*facts, "Board:", board.to_text().replace(".", "0"), "Events:", *events]).encode()


def played(script: str, *facts: str) -> Recording:
    return recording_of(rawvf(BOARD, script, *facts), "game.rawvf")


@pytest.mark.parametrize(
    ("script", "actions"),
    [
        ("lc01 lr01", "L01+"),
        ("lc00 mv01 lr01", "L01+"),
        ("lc01 lr99 lc99 lr01", "L01+"),
        ("lc01 lr01 lc01 lr01", "L01+ L01"),
        ("rc00 rr00 lc00 lr00", "F00+ L00"),
        ("rc00 rr00 rc00 rr00 lc00 lr00", "F00+ F00+ L00+"),
        ("lc01 lr01 rc00 rr00 lc01 rc01 lr01 rr01", "L01+ F00+ C01+"),
        ("lc01 lr01 rc00 rr00 lc01 rc01 rr01 lr01", "L01+ F00+ C01+"),
        ("lc01 lr01 rc00 lc00 mv01 lr01 rr01", "L01+ F00+ C01+"),
        ("lc01 lr01 rc00 rr00 mc01 mr01", "L01+ F00+ C01+"),
        ("lc01 lr01 rc00 rr00 sc01 lr01", "L01+ F00+ C01+"),
        ("lc01 lr01 rc01 rr01 rc01 lc01 lr01 rr01", "L01+ F01 C01"),
        ("lc01 lr01 lc01 rc01 lr01 lc01 lr01 rr01", "L01+ C01 C01"),
    ],
)
def test_buttons_open_flag_and_chord_as_in_windows(script: str, actions: str) -> None:
    mouse = played(script).mouse
    assert mouse is not None
    found = [f"{one.kind[0].upper()}{one.cell[0]}{one.cell[1]}{'+' * one.effective}" for one in mouse.actions]
    assert " ".join(found) == actions


def test_a_mark_needs_a_third_click() -> None:
    script = "rc00 rr00 rc00 rr00 rc00 rr00 rc00 rr00 lc01 lr01 mc01 mr01"
    marked, plain = (played(script, f"Marks: {word}").mouse for word in ("On", "Off"))
    assert marked is not None
    assert plain is not None
    assert [one.effective for one in marked.actions][-1] != [one.effective for one in plain.actions][-1]


def test_the_measures_of_a_mouse() -> None:
    game = played("lc01 lr01 rc00 rr00 rc13 rr13 rc13 rr13 lc01 rc01 lr01 rr01 lc03 lr03 lc04 lr04")
    found = review_recording(game).to_json()
    assert game.mouse is not None
    assert (game.won, found["clicks"], found["bbbv"]) == (True, 7, 3)
    assert (found["wasted_clicks"], found["wasted_flags"], found["cells_per_chord"]) == (1, 2, 4)
    assert found["correctness"] == pytest.approx(6 / 7)
    assert found["throughput"] == pytest.approx(3 / 6)
    assert found["path"] == pytest.approx(1 + math.dist((0, 0), (1, 3)) + math.dist((1, 3), (0, 1)) + 2 + 1)


def test_random_buttons_do_what_another_program_says(tmp_path: Path) -> None:
    for seed in range(8):
        rng = random.Random(seed)
        board = Recipe("8x8/8", click=(4, 4), seed=seed).puzzle(0).board
        recorder = Recorder(board)
        recorder.left((4, 4))
        for _ in range(60):
            cell = rng.randrange(8), rng.randrange(8)
            if board.mine_map[cell]:
                recorder.flag(cell)
            else:
                rng.choice([recorder.left, recorder.chord, recorder.half_chord])(cell)
        path = tmp_path / f"{seed}.evf"
        recorder.save(path)
        video = ms_toollib.EvfVideo(str(path))
        video.parse()
        video.analyse()
        last = video.events[-1].key_dynamic_params
        game = recording_of(path.read_bytes(), path.name)
        assert game.mouse is not None
        counts = tuple(game.mouse.count(kind) for kind in ("left", "flag", "chord"))
        assert counts == (last.left, last.right, last.double)
        shown = video.events[-1].next_game_board.game_board
        assert [[cell >= 0 for cell in row] for row in game.last_view.cells] == [
            [cell <= 8 for cell in row] for row in shown
        ]


@pytest.mark.parametrize(
    ("number", "mode", "forced", "needless"),
    [
        (0, "standard", 5 / 6, None),
        (6, "strong solvable", 0, 0),
        (7, "weak solvable", 1, 0),
        (8, "to be solvable", 1, None),
        (9, "strong guessable", 1, 1),
        (10, "weak guessable", 1, 1),
    ],
)
def test_the_rule_of_the_mode_judges_guesses(
    number: int, mode: str, forced: float, needless: float | None, tmp_path: Path
) -> None:
    """A game of a mode in which no guess can lose had "19 forced guesses, luck 0.00%"."""
    path = tmp_path / "game.evf"
    for board, cell, verdict, safety in (
        ("...*....*.", (0, 6), Verdict.FORCED, forced),
        ("..........\n..*.......\n..........\n.*......*.", (3, 3), Verdict.NEEDLESS, needless),
    ):
        record(path, Board.from_text(board), [(0, 0), cell], number)
        game = recording_of(path.read_bytes(), path.name)
        guess = review_recording(game).judgements[1]
        assert game.mode == mode
        assert guess.verdict is (Verdict.CERTAIN if safety == 1 else verdict)
        assert guess.by_rule == (safety == 1)
        assert guess.safety is not None
        assert guess.safety == pytest.approx(safety) if safety is not None else 0 < guess.safety < 1


def test_a_mode_with_unknown_rules_is_refused(tmp_path: Path) -> None:
    record(tmp_path / "game.evf", BOARD, [(0, 1)], mode=12)
    with pytest.raises(FormatError, match="has mode 12, which opens cells by rules that are not known here"):
        recording_of((tmp_path / "game.evf").read_bytes(), "game.evf")


def bytes_of_clone(late: bool) -> bytes:
    """Return a game of Minesweeper Clone on `BOARD`: 2007 if it is late, otherwise 0.97."""
    width = 6 if late else 5
    one, two = math.sqrt(77), math.sqrt(1077)
    three, four = math.sqrt(one + 1000), math.sqrt(two + 1000)
    angles = [three + 1000, math.sqrt(two), three, math.sqrt(one) + 1000, four, four]
    waves = [(math.sin if at % 2 else math.cos)(angle) for at, angle in enumerate(angles[:width])]
    digits = "".join(f"{round(abs(wave) * 1e8):08d}" for wave in waves)
    places = [place for digit in "0123456789" for place in range(8 * width) if digits[place] == digit]
    events = b""
    for time, (left, right, row, col) in enumerate(
        [(1, 0, 0, 1), (0, 0, 0, 1), (0, 1, 0, 0), (0, 0, 0, 0), (1, 1, 0, 1), (0, 0, 0, 1)]
    ):
        x, y = 16 * col + 8 + 32 * late, 16 * row + 8 + 32 * late
        fields = [(right, 1), (0, 1), (left, 1)]
        fields += [(y, 11), (x, 11), (1000 * time, 22)] if late else [(y, 9), (x, 9), (0, 7), (time, 10)]
        bits = [value >> bit & 1 for value, size in fields for bit in range(size)]
        events += sum(bit << place for bit, place in zip(bits, places, strict=False)).to_bytes(width, "little")
    board = bytes([5, 2, 0, 2, 1, 1, 5, 2])
    date = bytes([2, 17, 7, 215, 22, 59, 34, 4, 1])
    head = bytearray(b"\x11M" + bytes(72))
    head[27:28] = b"7" if late else b"5"
    head[53:68] = b"\x0e2007 release 2"
    score = (5000).to_bytes(3, "big") if late else bytes([0, 5, 0]) + bytes(10)
    name = b"Jos\xe9"
    body = date + score + b"\0" + board + bytes([len(name)]) + name + (77).to_bytes(2, "big") + (6).to_bytes(3, "big")
    return bytes(head[: 71 if late else 74]) + body + events


def bytes_of_old_clone(end: bytes) -> bytes:
    """Return the same game as Minesweeper Clone 0.96 and earlier wrote it."""
    events = [(0, 1, 0, 1), (1, 0, 0, 1), (2, 4, 0, 0), (3, 0, 0, 0), (4, 5, 0, 1)]
    body = b"".join(
        bytes([time, 0, buttons, *(16 * col + 8).to_bytes(2, "big"), *(16 * row + 8).to_bytes(2, "big"), 0])
        for time, buttons, row, col in events
    )
    return bytes([5, 2, 0, 2, 0, 0, 4, 1, 0, 0]) + body + bytes([0, 5, 0]) + end


@pytest.mark.parametrize(
    ("data", "program", "player"),
    [
        (bytes_of_clone(late=True), "Minesweeper Clone 2007 release 2", "Jos\ufffd"),
        (bytes_of_clone(late=False), "Minesweeper Clone 0.97 beta", "Jos\ufffd"),
        (
            bytes_of_old_clone(b"Ann".ljust(100) + b"\0" + b"7" * 20 + b"\0"),
            "Minesweeper Clone 0.96 beta or earlier",
            "Ann",
        ),
        (bytes_of_old_clone(ANN + b"7" * 10), "Minesweeper Clone 0.76 beta", "Ann"),
        (bytes_of_old_clone(b"7" * 10), "Minesweeper Clone 0.75 beta or earlier", ""),
    ],
    ids=["2007", "0.97", "0.96", "0.76", "0.75"],
)
def test_every_version_of_clone_is_read(data: bytes, program: str, player: str) -> None:
    """Whole files of most versions were called broken."""
    game = recording_of(data, "game.mvf")
    assert (game.board, game.program, game.player, game.seconds) == (BOARD, program, player, 5)
    assert game.mouse is not None
    assert [(one.kind, one.cell, len(one.opened)) for one in game.mouse.actions] == [
        ("left", (0, 1), 1),
        ("flag", (0, 0), 0),
        ("chord", (0, 1), 4),
    ]


def test_a_name_of_another_encoding_is_kept_readable() -> None:
    """An rmv file whose player had a letter of Latin-1 could not be read."""
    texts = b"\nLEVEL", b"Vienna", b"\x04Jos\xe9\xc3\xa9"
    sizes = b"".join(len(text).to_bytes(2, "big") for text in texts)
    file = b"*rmv\0\1\0\0\0\0" + sizes + bytes(12) + b"".join(texts) + b"\xff\xfe"
    assert with_utf8_names(file) == file.replace(b"Jos\xe9", b"Jos?")


def test_games_are_written_for_other_programs() -> None:
    script = "rc00 rr00 lc01 lr01 lc01 mv02 rc01 rr01 lr01 lc04 lr04"
    game = played(script, "Program: Arbiter", "Version: 0.52", "Player: Ann", "Time: 9.000", "Mode: Density")
    again = recording_of(to_rawvf(game).encode(), "game.rawvf")
    assert (again.mouse and again.mouse.actions) == (game.mouse and game.mouse.actions)
    assert (again.program, again.player, again.mode, again.seconds) == ("Arbiter 0.52", "Ann", "density", 9)
    clicks = [RecordedClick(1.0, (0, 1), ((0, 1),)), RecordedClick(2.5, (0, 1), ((1, 0), (1, 1), (1, 2), (0, 2)))]
    own = record_game(BOARD, clicks, 2.5, 2, "sweep")
    again = recording_of(to_rawvf(own).encode(), "game.rawvf")
    assert [set(one.cells) for one in again.clicks] == [set(one.cells) for one in clicks]
    assert again.last_view == own.last_view
    torus = Board.from_cells(Grid(5, 5, "torus"), [(0, 0)])
    with pytest.raises(BoardError, match="rawvf has rectangles only; 5x5/1 torus is another grid"):
        to_rawvf(record_game(torus, [], 0, 0, "sweep"))


LONG = "\n".join(
    ["Board:", *["0*" * 2000] * 3, "Events:"]
    + [f"0.000 {kind} ({32 * col} {16 * row})" for col in range(2000) for row in range(3) for kind in ("lc", "lr")]
).encode()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("game.rawvf", b"no board", "'game.rawvf' is broken: no board; expected a line 'Board:' and rows of 0 and *"),
        ("game.rawvf", rawvf(BOARD, "lc00 zz00"), "'game.rawvf' is broken: line 6: unknown event 'zz'"),
        (
            "game.rawvf",
            rawvf(BOARD, "lc00 lr00").replace(b"1.000", b"-1.000"),
            "'game.rawvf' is broken: line 6: the time runs backwards, from 0 to -1 s",
        ),
        ("game.mvf", b"\x11M" + bytes(25) + b"7" + bytes(60), "'game.mvf' is broken: expected a complete mvf file"),
        (
            "game.rawvf",
            LONG,
            "'game.rawvf' is broken: expected at most 33,554,432 cells in the views of all clicks",
        ),
        ("game.umf", b"", "'game.umf' is a game of Vienna Minesweeper before version 2; convert it to rawvf"),
    ],
    ids=["no board", "event", "time", "mvf", "long", "umf"],
)
def test_what_cannot_be_read_is_named(name: str, data: bytes, words: str) -> None:
    with pytest.raises(FormatError) as raised:
        recording_of(data, name)
    assert str(raised.value) == words
