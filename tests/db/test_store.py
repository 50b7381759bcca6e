"""The database: puzzles and their runs, games and views."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from sample_records import KEY, RECIPE, add_puzzles, records, sampled

from minesweeper import Recipe, Store
from minesweeper.db.columns import Use, columns_for
from minesweeper.db.records import GameRecord, PuzzleRecord, Sample
from minesweeper.player.core.errors import DatabaseError, Fault
from minesweeper.player.core.steps import Tier


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "puzzles.db") as store:
        yield store


def add(store: Store, *puzzles: PuzzleRecord, next_index: int = 1) -> int:
    return add_puzzles(store, puzzles, next_index)


def kept(store: Store) -> int:
    return store.runs.begin(KEY, {}, "sat").kept


@given(st.lists(records(), max_size=5))
@settings(max_examples=8)
def test_stored_puzzles_are_read_again(tmp_path_factory: pytest.TempPathFactory, stored: list[PuzzleRecord]) -> None:
    distinct = {record.id: record for record in reversed(stored)}
    with Store(tmp_path_factory.mktemp("db") / "puzzles.db") as store:
        assert add(store, *stored) == len(distinct) == store.count() == kept(store)
        found = list(store.puzzles())
        assert found == [record for record in dict.fromkeys(stored) if distinct[record.id] == record]
        for record in found:
            assert store.puzzle(record.id) == record


def test_a_run_is_resumed(store: Store) -> None:
    first = store.runs.begin(KEY, {"count": 3}, "sat")
    assert (first.next_index, first.candidates, first.kept, first.seconds) == (0, 0, 0, 0.0)
    add_puzzles(store, [sampled(0), sampled(3)], 4, run_id=first.id, candidates=5, seconds=1.5)
    again = store.runs.begin(KEY, {"count": 9}, "native")
    assert again == replace(first, next_index=4, candidates=5, kept=2, seconds=1.5)
    (row,) = store.db["runs"].rows
    assert (row["arguments"], row["engine"]) == ('{"count": 9}', "native")


@pytest.mark.parametrize("change", [{"seed": 8}, {"mines": 11}, {"click": None}, {"rule": "safe"}])
def test_another_key_is_another_run(store: Store, change: dict[str, int | str | None]) -> None:
    key = replace(KEY, recipe=replace(RECIPE, **change))  # type: ignore[arg-type]
    assert store.runs.begin(key, {}, "sat").id != store.runs.begin(KEY, {}, "sat").id


def test_a_repeated_or_empty_batch_stores_nothing(store: Store) -> None:
    assert add(store, sampled(1), sampled(2), next_index=10) == 2
    assert add_puzzles(store, [sampled(12)], 20, seconds=2.0) == 1
    reached = store.runs.begin(KEY, {}, "sat")
    assert add(store, sampled(1), sampled(2), next_index=10) == 0
    assert store.runs.begin(KEY, {}, "sat") == reached
    assert add(store, next_index=50) == 0
    assert (store.count(), store.runs.begin(KEY, {}, "sat").next_index) == (3, 50)


def test_a_batch_is_stored_whole_or_not_at_all(store: Store) -> None:
    add(store, sampled(0), next_index=1)
    invalid = replace(sampled(2), engine=None)  # type: ignore[arg-type]
    with pytest.raises(DatabaseError, match="NOT NULL"):
        add(store, sampled(1), invalid, next_index=3)
    assert list(store.puzzles()) == [sampled(0)]
    assert store.runs.begin(KEY, {}, "sat").next_index == 1


def test_an_unknown_run_is_refused(store: Store) -> None:
    with pytest.raises(DatabaseError, match=r"run.*77"):
        add_puzzles(store, [sampled(0)], run_id=77)
    assert store.count() == 0


def test_filters_agree_with_the_records(store: Store) -> None:
    add(store, *(sampled(index) for index in range(40)))
    puzzles = list(store.puzzles())
    for tier in (tier.title for tier in Tier):
        assert list(store.puzzles(tier=tier)) == [record for record in puzzles if record.hardest_tier == tier]
    assert {record.hardest_tier for record in puzzles} == {"1 clue", "2 clues", "more clues"}
    assert store.count(rows=9, cols=9, mines=10, start="opening", run=1) == 40
    for none in ({"rows": 8}, {"cols": 8}, {"mines": 9}, {"start": "safe"}, {"run": 2}):
        assert store.count(**none) == 0  # type: ignore[arg-type]
    assert store.count(where="steps_2_clues > 3 OR 1 -- a comment", mines=9) == 0
    assert store.count(where="needs_mine_count") == 0
    assert list(store.puzzles(where="sample_index % 2", limit=2)) == [sampled(1), sampled(3)]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        *((where, "invalid SQL condition") for where in ("bombs > 3", "mines > 3)", "1; DROP TABLE puzzles", "")),
        ("bbv > 3", r"no such column: bbv \(did you mean 'bbbv'\?\)"),
    ],
)
def test_an_invalid_condition_is_named(store: Store, where: str, message: str) -> None:
    for question in (lambda: list(store.puzzles(where=where)), lambda: store.count(where=where)):
        with pytest.raises(DatabaseError, match=message):
            question()


def test_shuffling_depends_on_the_seed_and_the_puzzles_only(tmp_path: Path) -> None:
    orders = []
    for name, indices in (("a.db", range(30)), ("b.db", reversed(range(30)))):
        with Store(tmp_path / name) as store:
            add(store, *(sampled(index) for index in indices))
            orders.append([record.sample_index for record in store.puzzles(shuffle_seed=5)])
            assert [record.sample_index for record in store.puzzles(shuffle_seed=5, limit=4)] == orders[-1][:4]
            assert [record.sample_index for record in store.puzzles(shuffle_seed=6)] != orders[-1]
    assert orders[0] == orders[1] != sorted(orders[0])
    assert sorted(orders[0]) == list(range(30))


def test_a_puzzle_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    add(store, *(sampled(index) for index in range(40)))
    record = sampled(17)
    assert store.puzzle(f" {record.id.upper()[:10]} ") == record
    for name in ("", "xyz", "%"):
        with pytest.raises(DatabaseError, match="hexadecimal"):
            store.puzzle(name)
    with pytest.raises(DatabaseError, match="no puzzle"):
        store.puzzle("0" * 20)
    shared = next(digit for digit in "0123456789abcdef" if sum(r.id[0] == digit for r in store.puzzles()) > 1)
    with pytest.raises(DatabaseError, match=f"several puzzle ids begin with '{shared}'"):
        store.puzzle(shared)


def test_writing_goes_on_while_puzzles_are_read(store: Store) -> None:
    """An open cursor on the writing connection made writes fail after another process had written."""
    add(store, *(sampled(index) for index in range(20)))
    seen = []
    for record in store.puzzles():
        seen.append(record)
        with Store(store.path) as other:
            other.add_games([GameRecord("other", record.id, False, 0, 0, 0.1)])
        store.add_games([GameRecord("local", record.id, True, 71, 0, 0.1)])
        add(store, sampled(100 + len(seen)))
    assert seen == [sampled(index) for index in range(20)]
    assert store.count() == 40


def test_the_leaderboard_adds_up(store: Store) -> None:
    add(store, sampled(0), sampled(1), sampled(2))
    anywhere = Recipe("16x30/99", click=None, rule="safe", seed=3)
    random = [Sample(anywhere, index) for index in range(4)]
    store.add_games(
        [GameRecord("local", sampled(index).id, True, 71, 0, 0.5) for index in range(3)]
        + [
            GameRecord("local", board, index < 1, 9, 2 * index, 0.25, Fault.TOO_SLOW if index == 2 else None)
            for index, board in enumerate(random)
        ]
        + [GameRecord("random", board, index < 3, 9, 1, 0.5) for index, board in enumerate(random)]
        + [GameRecord("random", Sample(replace(anywhere, click=(8, 15)), 0), False, 9, 1, 0.5)]
    )
    rows = store.leaderboard()
    assert " ".join(rows[0]) == (
        "strategy boards games wins win_rate_percent guesses_per_game seconds_per_game forfeits"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("local", "9x9/10, opening start, stored", 3, 3, 100.0, 0.0, 0.5, 0),
        ("random", "16x30/99, safe start anywhere", 4, 3, 75.0, 1.0, 0.5, 0),
        ("local", "16x30/99, safe start anywhere", 4, 1, 25.0, 3.0, 0.25, 1),
        ("random", "16x30/99, safe start at 8,15", 1, 0, 0.0, 1.0, 0.5, 0),
    ]


@pytest.mark.parametrize("board", [sampled(0).id, Sample(RECIPE, 5)])
def test_a_game_played_again_replaces_the_earlier_result_keeps_its_id_and_is_the_last(
    store: Store, board: str | Sample
) -> None:
    add(store, sampled(0))
    first, other = (GameRecord(name, board, False, 3, 1, 0.5) for name in ("local", "random"))
    store.add_games([first, replace(other, won=True, guesses=4)])
    with store.db.conn:
        store.db.execute("UPDATE games SET played = '2020-01-01 00:00:00'")
    before = {game.strategy: number for number, _, game in store.games()}
    again = replace(first, won=True, opened=71, guesses=2)
    store.add_games([again])
    assert {game.strategy: number for number, _, game in store.games()} == before
    assert store.game("last") == store.game(str(before["local"])) == again
    assert store.game(str(before["random"])) == replace(other, won=True, guesses=4)
    results = {row["strategy"]: (row["games"], row["wins"], row["guesses_per_game"]) for row in store.leaderboard()}
    assert results == {"local": (1, 1, 2.0), "random": (1, 1, 4.0)}


def test_a_game_on_an_unknown_puzzle_stores_nothing(store: Store) -> None:
    add(store, sampled(0))
    with pytest.raises(DatabaseError, match=sampled(1).id):
        store.add_games([GameRecord("local", record.id, True, 71, 0, 0.5) for record in (sampled(0), sampled(1))])
    assert store.leaderboard() == []


def test_a_puzzle_that_was_played_cannot_be_deleted_alone(store: Store) -> None:
    add(store, sampled(0))
    store.add_games([GameRecord("local", sampled(0).id, True, 71, 0, 0.5)])
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        store.db.execute("DELETE FROM puzzles")


def test_the_view_of_puzzles_has_the_listed_columns(store: Store) -> None:
    add(store, sampled(3).with_measures())
    (listed,) = store.db.query("SELECT * FROM puzzle_list")
    (record,) = store.puzzles()
    columns = columns_for(Use.LISTED)
    assert {column.name for column in columns} <= set(listed)
    for column in columns:
        value = column.read(record)
        expected = value if isinstance(value, bool) else pytest.approx(value, abs=0.001)
        assert listed[column.name] == expected, column.name


@given(records())
@settings(max_examples=10)
def test_the_drawing_view_draws_the_mines(tmp_path_factory: pytest.TempPathFactory, record: PuzzleRecord) -> None:
    with Store(tmp_path_factory.mktemp("db") / "puzzles.db") as store:
        add(store, record)
        (drawn,) = store.db.query("SELECT * FROM puzzle_drawings")
    assert drawn == {"id": record.id, "drawing": record.puzzle.board.to_text()}
