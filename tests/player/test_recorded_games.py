"""Reviews of games that other programs recorded."""

import copy
import pickle
from math import comb
from pathlib import Path

import ms_toollib
import numpy as np
import pytest
from recordings import Recorder, record, record_played
from rectangle import neighbours

from minesweeper import Cell, Kaboom, Recipe, analyse, metrics
from minesweeper.player.core.board import HIDDEN, Board, cells_of
from minesweeper.player.core.errors import BoardError, FormatError
from minesweeper.player.core.game import Game, Status
from minesweeper.player.play.judgement import Verdict
from minesweeper.player.play.recorded_games import (
    JudgedClick,
    RecordedClick,
    read_recording,
    replay_clicks,
    review_recording,
)


@pytest.mark.parametrize("index", range(2))
def test_every_judgement_agrees_with_analyse(index: int, tmp_path: Path) -> None:
    recipe = Recipe("16x30/99", seed=3)
    record_played(tmp_path / "game.evf", recipe, index)
    recording = read_recording(tmp_path / "game.evf")
    assert recording.board == recipe.puzzle(index).board
    review = review_recording(recording)
    assert pickle.loads(pickle.dumps(review)) == copy.deepcopy(review) == review
    for one in review.judgements[1:]:
        if one.verdict is Verdict.CERTAIN and one.number % 10:
            continue
        told = analyse(one.view)
        (cell,) = one.click.cells
        if one.verdict is Verdict.CERTAIN:
            assert cell in told.safe_cells
            assert one.safety == 1
        else:
            assert one.verdict is Verdict.FORCED
            assert told.guess is not None
            assert not told.safe_cells
            assert (one.solved.best, one.best_safety) == (told.guess.best.cell, told.guess.best.safety)
            assert told.chances is not None
            assert one.safety == 1 - told.chances[cell]
            assert one.guess is not None
            assert one.guess.chosen.safety == pytest.approx(one.safety)
            assert cell == one.guess.chosen.cell
            assert one.layouts is not None
            for layout, mine in zip(one.layouts, (False, True), strict=True):
                seen = one.view.cells != HIDDEN
                assert layout.mine_map[cell] == mine
                assert layout.mines == 99
                assert (layout.clues[seen] == one.view.cells[seen]).all()


@pytest.mark.parametrize("index", range(3))
def test_the_summary_agrees_with_ms_toollib(index: int, tmp_path: Path) -> None:
    path = tmp_path / "game.evf"
    record_played(path, Recipe("16x16/40", seed=4), index)
    video = ms_toollib.EvfVideo(str(path))
    video.parse()
    video.analyse()
    last = video.events[-1].key_dynamic_params
    review = review_recording(read_recording(path))
    found = review.to_json()
    assert found["bbbv"] == video.bbbv
    assert found["solved_bbbv"] == last.bbbv_solved
    assert found["clicks"] == last.left + last.right + last.double
    assert found["won"] == video.is_completed
    assert (found["player"], found["program"]) == ("a tester", "recorder")
    zini = min(metrics(review.recording.board).greedy_zini, metrics(review.recording.board).human_zini)
    assert found["zini_efficiency"] == (zini / found["clicks"] if found["won"] else None)
    assert found["fewest_clicks_bound"] <= found["fewest_clicks"] <= zini + 1
    chances = [one.safety for one in review.judgements[1:]]
    assert review.luck == pytest.approx(np.prod([chance for chance in chances if chance is not None]))


def test_the_plan_begins_with_the_first_click(tmp_path: Path) -> None:
    path = tmp_path / "game.evf"
    record(path, Board.from_text("...*.*\n...**."), [(0, 0)])
    review = review_recording(read_recording(path))
    assert review.plan is not None
    assert (review.plan.clicks[0], review.plan.count) == (("left", (0, 0)), 3)
    assert review.parted is not None
    assert review.parted.kind == "left"
    record(path, Board.from_text("...\n...\n..*"), [(2, 2)])
    assert review_recording(read_recording(path)).plan is None


def _judged(path: Path, board: str, clicks: list[Cell]) -> list[JudgedClick]:
    record(path, Board.from_text(board), clicks)
    return list(review_recording(read_recording(path)).judgements)


def test_a_needless_guess_has_a_deduction_of_a_safe_cell(tmp_path: Path) -> None:
    # The 1 at (0, 1) has its mine at (0, 0) or (1, 0); with the 1 at (0, 2) before it, (1, 3) is safe.
    board = "..........\n..*.......\n..........\n.*......*."
    first, guess, *_ = _judged(tmp_path / "game.evf", board, [(0, 0), (3, 3)])
    assert first.verdict is Verdict.FIRST
    told = analyse(guess.view)
    assert told.safe_cells
    assert (3, 3) not in told.safe_cells
    assert guess.verdict is Verdict.NEEDLESS
    assert guess.step is not None
    assert set(guess.step.safe) <= set(told.safe_cells)
    assert guess.in_words().startswith("a safe cell could be deduced: ")
    assert told.chances is not None
    assert guess.safety == 1 - told.chances[3, 3]


@pytest.mark.parametrize(("board", "verdict"), [("*.....", Verdict.NEEDLESS), ("*....*", Verdict.FORCED)])
def test_a_guess_is_needless_if_only_the_mine_count_gives_a_safe_cell(
    board: str, verdict: Verdict, tmp_path: Path
) -> None:
    # The clue takes one mine; without another, the last three cells are safe.
    guess = _judged(tmp_path / "game.evf", board, [(0, 1), (0, 2)])[1]
    assert guess.verdict is verdict
    assert guess.step is None or (guess.step.safe, guess.step.mine_count) == (((0, 3), (0, 4), (0, 5)), True)
    assert (guess.step is None) == (verdict is Verdict.FORCED)


def test_a_forced_guess_and_a_known_mine(tmp_path: Path) -> None:
    forced = _judged(tmp_path / "forced.evf", "...*....*.", [(0, 0), (0, 6)])[1]
    assert forced.verdict is Verdict.FORCED
    assert forced.safety == pytest.approx(5 / 6)
    known = _judged(tmp_path / "known.evf", "...*....*.", [(0, 0), (0, 3)])[1]
    assert known.verdict is Verdict.MINE
    assert known.safety == 0
    assert not known.survived
    assert known.in_words() == "(0, 3) is a mine in every layout"


def test_the_safety_of_a_chord_is_that_of_all_its_cells(tmp_path: Path) -> None:
    board = Recipe("6x6/8", click=(0, 0), seed=8).puzzle(1).board
    path = tmp_path / "game.evf"
    found = 0
    for row, col in np.argwhere(board.clues > 0).tolist():
        if found == 3:
            break
        recorder = Recorder(board)
        recorder.left((row, col))
        near = [cell for cell in neighbours(6, 6, (row, col)) if board.mine_map[cell]]
        for cell in near:
            recorder.flag(cell)
        recorder.chord((row, col))
        recorder.save(path)
        judged = review_recording(read_recording(path)).judgements[1:]
        chord = next((one for one in judged if one.click.cell == (row, col)), None)
        if chord is None or len(chord.click.cells) > 4 or near == []:
            continue
        found += 1
        assert chord.verdict is Verdict.FORCED
        # The mines are on the flags in one of the equally likely ways to place them around the clue.
        around = len(near) + len(chord.click.cells)
        assert chord.safety == pytest.approx(1 / comb(around, len(near)))
    assert found == 3


@pytest.mark.parametrize(
    ("name", "data", "complaint"),
    [
        ("game.txt", b"", "is no recorded game: expected a .avf, .evf"),
        ("game.evf", b"", "expected a complete evf file"),
        ("game.avf", b"\x00" * 99, "expected a complete avf file"),
        ("game.rmv", b"nonsense" * 99, "expected a complete rmv file"),
        ("game.mvf", b"\xff" * 999, "expected a complete mvf file"),
    ],
)
def test_rejects_broken_files_and_leaves_no_files(
    name: str, data: bytes, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError, match=complaint):
        read_recording(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_rejects_truncated_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "game.evf"
    with pytest.raises(FileNotFoundError):
        read_recording(path)
    record(path, Board.from_text("*...*\n.....\n.....\n**.*."), [(1, 2)])
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(FormatError, match="complete evf file"):
        read_recording(path)


def test_a_flagged_cell_of_an_opening_is_certain_later(tmp_path: Path) -> None:
    """Real recordings have cells that a zero would have opened if they were not flagged."""
    board = Board.from_text("....*....*")
    recorder = Recorder(board)
    recorder.flag((0, 2))
    recorder.left((0, 0))
    recorder.flag((0, 2))
    recorder.left((0, 2))
    recorder.left((0, 5))
    recorder.save(tmp_path / "game.evf")
    first, second, third, *_ = review_recording(read_recording(tmp_path / "game.evf")).judgements
    assert first.verdict is Verdict.FIRST
    assert second.view.to_text() == "1x10/2\n00########"
    assert (second.click.cells, second.verdict) == (((0, 2),), Verdict.CERTAIN)
    assert third.view.to_text() == "1x10/2\n0001######"
    assert third.verdict is Verdict.FORCED


CHORD_BOARD = Board.from_text("*....\n....*")


def click(seconds: float, cell: Cell, *cells: Cell, helped: bool = False) -> RecordedClick:
    return RecordedClick(seconds, cell, cells or (cell,), helped)


# The clue of (0, 1) is 1. A chord there with a flag on (0, 0) opens its other hidden neighbours, and two zeros.
CHORD = ((0, 2), (1, 0), (1, 1), (1, 2))
WON = (click(0, (0, 1)), click(2.5, (0, 1), *CHORD), click(3, (0, 4)))


@pytest.mark.parametrize(
    ("clicks", "status"),
    [
        (WON, Status.WON),
        ((*WON[:1], click(0, (1, 0), *CHORD, (0, 4), helped=True)), Status.WON),
        ((WON[0], click(1, (0, 0))), Status.LOST),
        # A wrong flag, on (1, 0): the chord opens the mine.
        ((WON[0], click(1, (0, 1), (0, 0), (0, 2), (1, 1), (1, 2))), Status.LOST),
        # A program opens cells until one is a mine.
        ((click(0, (0, 1), (0, 1), (0, 0), (1, 4), helped=True),), Status.LOST),
    ],
)
def test_whole_games_are_replayed(clicks: tuple[RecordedClick, ...], status: Status) -> None:
    game = Game(CHORD_BOARD)
    replay_clicks(game, clicks, 3)
    assert game.status is status


@pytest.mark.parametrize(
    ("clicks", "cause"),
    [
        (WON[:-1], "do not end the game"),
        ((*WON, click(3, (1, 4))), "click 4 follows the end"),
        ((WON[0], click(1, (0, 0)), click(2, (0, 2))), "click 3 follows the end"),
        ((*WON[:-1], click(3.5, (0, 4))), "click 3 was made after 3.5 s; expected 2.5 to 3 s"),
        ((*WON[:-1], click(2, (0, 4))), "click 3 was made after 2 s; expected 2.5 to 3 s"),
        ((click(-1, (0, 1)),), "click 1 was made after -1 s; expected 0 to 3 s"),
        ((click(float("nan"), (0, 1)),), "click 1 was made after nan s"),
        ((WON[0], click(1, (0, 1))), "click 2 does not open"),
        ((click(0, (2, 0)),), "click 1 does not open"),
        ((click(0, (0, -1)),), "click 1 does not open"),
        ((click(0, (0, 1), (0, 1), (5, 5), helped=True),), "click 1 does not open"),
        ((RecordedClick(0, (0, 1), ()),), "click 1 does not open"),
        ((RecordedClick(0, (0, 1), (), helped=True),), "click 1 does not open"),
        # A player cannot open two cells at once, unless a chord does it.
        ((click(0, (0, 1), (0, 1), (0, 2)),), "click 1 does not open"),
        ((click(0, (1, 1), (0, 1)),), "click 1 does not open"),
        ((WON[0], click(1, (0, 1), (0, 2), (1, 0))), "click 2 does not open"),
        ((WON[0], click(1, (0, 1), (0, 0), (0, 2), (1, 0), (1, 1), (1, 2))), "click 2 does not open"),
        ((WON[0], click(1, (0, 1), (0, 3), (1, 0), (1, 1), (1, 2))), "click 2 does not open"),
        ((WON[0], click(1, (0, 1), (0, 2), (0, 2), (1, 1), (1, 2))), "click 2 does not open"),
        ((WON[0], click(1, (0, 2), (0, 1), (0, 2), helped=True)), "click 2 does not open"),
    ],
)
def test_clicks_that_are_no_whole_game_are_refused(clicks: tuple[RecordedClick, ...], cause: str) -> None:
    with pytest.raises(BoardError, match=cause):
        replay_clicks(Game(CHORD_BOARD), clicks, 3)


@pytest.mark.parametrize("seed", range(5))
def test_a_replay_of_kaboom_is_the_same_game(seed: int) -> None:
    """Chords and single clicks get the same answers, because every opened cell counts."""
    played, clicks = Kaboom("6x6/8", seed=seed), []
    while played.status is Status.PLAYING:
        clues = [cell for cell in cells_of(played.view.cells > 0) if chord_of(played, cell)]
        safe = cells_of(played.safe_map)
        cells = chord_of(played, clues[0]) if clues else [safe[0] if safe else cells_of(played.guessable)[0]]
        clicks.append(click(len(clicks), clues[0] if clues else cells[0], *cells))
        for cell in cells:
            if played.status is Status.PLAYING and played.view.cells[cell] == HIDDEN:
                played.click(cell)
    replayed = Kaboom("6x6/8", seed=seed)
    replay_clicks(replayed, clicks, len(clicks))
    assert replayed.view == played.view
    assert replayed.fatal == played.fatal


def chord_of(kaboom: Kaboom, clue: Cell) -> list[Cell]:
    """Return the cells that a chord opens when all proven mines are flagged."""
    return kaboom.chorded(clue, cells_of(kaboom.mine_map))
