-- Tables and views of the database. db/file.py checks both numbers; the application id stands for "MSWP".
PRAGMA application_id = 0x4D535750;

PRAGMA user_version = 1;

-- Runs of the generator. The columns of the UNIQUE constraint determine which puzzles a run finds.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    rows INTEGER NOT NULL CHECK (rows BETWEEN 1 AND 1000),
    cols INTEGER NOT NULL CHECK (cols BETWEEN 1 AND 1000),
    mines INTEGER NOT NULL CHECK (mines BETWEEN 0 AND rows * cols),
    first_click TEXT NOT NULL,
    rule TEXT NOT NULL CHECK (rule IN ('opening', 'safe')),
    seed INTEGER NOT NULL CHECK (seed >= 0),
    method TEXT NOT NULL,
    arguments TEXT NOT NULL,
    engine TEXT NOT NULL,
    version TEXT NOT NULL,
    candidates INTEGER NOT NULL DEFAULT 0 CHECK (candidates >= 0),
    kept INTEGER NOT NULL DEFAULT 0 CHECK (kept >= 0),
    next_index INTEGER NOT NULL DEFAULT 0 CHECK (next_index >= 0),
    seconds REAL NOT NULL DEFAULT 0 CHECK (seconds >= 0),
    started TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (rows, cols, mines, first_click, rule, seed, method)
);

-- db/columns.py describes these columns.
CREATE TABLE puzzles (
    id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 20),
    canonical_id TEXT NOT NULL CHECK (length(canonical_id) = 20),
    rows INTEGER NOT NULL CHECK (rows BETWEEN 1 AND 1000),
    cols INTEGER NOT NULL CHECK (cols BETWEEN 1 AND 1000),
    mines INTEGER NOT NULL CHECK (mines BETWEEN 0 AND rows * cols),
    first_row INTEGER NOT NULL CHECK (first_row BETWEEN 0 AND rows - 1),
    first_col INTEGER NOT NULL CHECK (first_col BETWEEN 0 AND cols - 1),
    rule TEXT NOT NULL CHECK (rule IN ('opening', 'safe')),
    mine_bits BLOB NOT NULL CHECK (typeof(mine_bits) = 'blob' AND length(mine_bits) = (rows * cols + 7) / 8),
    verdict TEXT NOT NULL DEFAULT 'solvable' CHECK (
        verdict IN ('solvable', 'unsolvable', 'unknown') AND (verdict = 'solvable') = (hardest_tier IS NOT NULL)
    ),
    hardest_tier TEXT CHECK (hardest_tier IN ('first click', '1 clue', '2 clues', 'more clues', 'mine count')),
    steps_1_clue INTEGER CHECK (steps_1_clue >= 0 AND (steps_1_clue IS NULL) = (hardest_tier IS NULL)),
    steps_2_clues INTEGER CHECK (steps_2_clues >= 0 AND (steps_2_clues IS NULL) = (hardest_tier IS NULL)),
    steps_more_clues INTEGER CHECK (steps_more_clues >= 0 AND (steps_more_clues IS NULL) = (hardest_tier IS NULL)),
    steps_mine_count INTEGER CHECK (steps_mine_count >= 0 AND (steps_mine_count IS NULL) = (hardest_tier IS NULL)),
    needs_mine_count INTEGER CHECK (needs_mine_count IS (steps_mine_count > 0)),
    clues_at_once INTEGER CHECK (clues_at_once >= 0 AND (clues_at_once IS NULL OR hardest_tier IS NOT NULL)),
    difficulty REAL CHECK (difficulty >= 0),
    difficulty_word TEXT CHECK ((difficulty_word IS NULL) = (difficulty IS NULL)),
    bbbv INTEGER CHECK (bbbv >= 0),
    openings INTEGER CHECK (openings >= 0),
    islands INTEGER CHECK (islands >= 0),
    greedy_zini INTEGER CHECK (greedy_zini >= 0),
    human_zini INTEGER CHECK (human_zini >= 0),
    first_opening INTEGER CHECK (first_opening >= 1),
    method TEXT NOT NULL,
    engine TEXT NOT NULL,
    seed INTEGER CHECK (seed >= 0),
    sample_index INTEGER CHECK (sample_index >= 0),
    certificate TEXT,
    run_id INTEGER REFERENCES runs (id),
    created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE INDEX puzzles_by_board ON puzzles (rows, cols, mines);

CREATE INDEX puzzles_by_run ON puzzles (run_id);

CREATE TABLE strategies (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- Games of strategies: on a stored puzzle, or on the random board number sample_index of a recipe.
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    strategy_id INTEGER NOT NULL REFERENCES strategies (id),
    puzzle_id TEXT REFERENCES puzzles (id),
    rows INTEGER NOT NULL CHECK (rows BETWEEN 1 AND 1000),
    cols INTEGER NOT NULL CHECK (cols BETWEEN 1 AND 1000),
    mines INTEGER NOT NULL CHECK (mines BETWEEN 0 AND rows * cols),
    first_click TEXT NOT NULL,
    rule TEXT NOT NULL CHECK (rule IN ('opening', 'safe')),
    seed INTEGER CHECK (seed >= 0),
    sample_index INTEGER CHECK (sample_index >= 0),
    won INTEGER NOT NULL CHECK (won IN (0, 1)),
    opened INTEGER NOT NULL CHECK (opened BETWEEN 0 AND rows * cols - mines),
    guesses INTEGER NOT NULL CHECK (guesses >= 0),
    seconds REAL NOT NULL CHECK (seconds >= 0),
    played TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    fault TEXT CHECK (fault IS NULL OR won = 0),
    CHECK ((puzzle_id IS NULL) = (seed IS NOT NULL) AND (seed IS NULL) = (sample_index IS NULL))
);

CREATE UNIQUE INDEX games_of_puzzles ON games (puzzle_id, strategy_id) WHERE puzzle_id IS NOT NULL;

CREATE UNIQUE INDEX games_of_samples
    ON games (strategy_id, rows, cols, mines, first_click, rule, seed, sample_index) WHERE puzzle_id IS NULL;

-- A series is the games of one strategy on the boards 0, 1, 2, ... of a recipe, in blocks of consecutive games.
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    strategy_id INTEGER NOT NULL REFERENCES strategies (id),
    rows INTEGER NOT NULL CHECK (rows BETWEEN 1 AND 1000),
    cols INTEGER NOT NULL CHECK (cols BETWEEN 1 AND 1000),
    mines INTEGER NOT NULL CHECK (mines BETWEEN 0 AND rows * cols),
    first_click TEXT NOT NULL,
    rule TEXT NOT NULL CHECK (rule IN ('opening', 'safe')),
    seed INTEGER NOT NULL CHECK (seed >= 0),
    started TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (strategy_id, rows, cols, mines, first_click, rule, seed)
);

CREATE TABLE blocks (
    series_id INTEGER NOT NULL REFERENCES series (id),
    first_index INTEGER NOT NULL CHECK (first_index >= 0),
    games INTEGER NOT NULL CHECK (games > 0),
    wins INTEGER NOT NULL CHECK (wins BETWEEN 0 AND games),
    opened INTEGER NOT NULL CHECK (opened >= 0),
    guesses INTEGER NOT NULL CHECK (guesses >= 0),
    seconds REAL NOT NULL CHECK (seconds >= 0),
    forfeits INTEGER NOT NULL DEFAULT 0 CHECK (forfeits BETWEEN 0 AND games),
    won_bits BLOB NOT NULL CHECK (length(won_bits) = (games + 7) / 8),
    played TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    PRIMARY KEY (series_id, first_index)
);

-- Unfinished games of people on the page. A player is identified by a digest of a browser's secret.
CREATE TABLE running_games (
    id TEXT PRIMARY KEY,
    player TEXT NOT NULL,
    state TEXT NOT NULL,
    saved TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE INDEX running_games_by_player ON running_games (player, saved);

-- Finished games of people on the page. A game with an unranked reason does not count in its player's statistics.
CREATE TABLE human_games (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    player TEXT NOT NULL,
    mode TEXT NOT NULL,
    title TEXT NOT NULL,
    rows INTEGER NOT NULL CHECK (rows > 0),
    cols INTEGER NOT NULL CHECK (cols > 0),
    mine_bits BLOB NOT NULL,
    recorded_clicks TEXT NOT NULL,
    won INTEGER NOT NULL CHECK (won IN (0, 1)),
    seconds REAL NOT NULL CHECK (seconds >= 0),
    clicks INTEGER NOT NULL CHECK (clicks >= 0),
    unranked TEXT NOT NULL CHECK (unranked IN ('', 'help', 'repeat')),
    day TEXT,
    bbbv INTEGER,
    solved_bbbv INTEGER,
    zini INTEGER,
    luck REAL,
    forced INTEGER,
    needless INTEGER,
    stuck_seconds REAL,
    ended TEXT NOT NULL
);

CREATE INDEX human_games_by_player ON human_games (player, number);

CREATE INDEX human_games_by_board ON human_games (player, rows, cols, mine_bits);

CREATE INDEX human_games_by_time ON human_games (player, mode, rows, cols, seconds) WHERE won AND unranked = '';

CREATE VIEW puzzle_list AS
SELECT
    id,
    canonical_id,
    rows || 'x' || cols AS size,
    mines,
    rows || 'x' || cols || '/' || mines AS board,
    first_row || ',' || first_col AS first_click,
    rule,
    verdict,
    hardest_tier,
    steps_1_clue,
    steps_2_clues,
    steps_more_clues,
    steps_mine_count,
    clues_at_once,
    round(difficulty, 3) AS difficulty,
    difficulty_word,
    bbbv,
    openings,
    islands,
    greedy_zini,
    human_zini,
    round(1.0 * bbbv / min(greedy_zini, human_zini), 3) AS efficiency_bound,
    first_opening,
    first_opening > 1 OR rows * cols = 1 AS first_is_zero,
    method,
    engine,
    seed,
    sample_index,
    certificate,
    run_id,
    created
FROM puzzles;

-- One line for each row of the board, * for a mine and . for a safe cell.
CREATE VIEW puzzle_drawings AS
WITH puzzle_cells AS (
    SELECT
        id,
        rows,
        cols,
        replace(replace(replace(replace(replace(replace(replace(replace(
        replace(replace(replace(replace(replace(replace(replace(replace(
            hex(mine_bits),
            '0', '....'), '1', '...*'), '2', '..*.'), '3', '..**'),
            '4', '.*..'), '5', '.*.*'), '6', '.**.'), '7', '.***'),
            '8', '*...'), '9', '*..*'), 'A', '*.*.'), 'B', '*.**'),
            'C', '**..'), 'D', '**.*'), 'E', '***.'), 'F', '****') AS cells
    FROM puzzles
)
SELECT id, (
    WITH RECURSIVE line(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM line WHERE number < rows - 1)
    SELECT group_concat(substr(cells, number * cols + 1, cols), char(10)) FROM line
) AS drawing
FROM puzzle_cells;

-- Results by strategy and family of boards. A game that is also in a series counts once.
CREATE VIEW leaderboard AS
WITH results AS (
    SELECT strategy_id, rows, cols, mines, rule, iif(puzzle_id IS NULL, first_click, 'stored') AS start,
        1 AS games, won AS wins, guesses, seconds, fault IS NOT NULL AS forfeits
    FROM games
    WHERE puzzle_id IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM series JOIN blocks ON series_id = series.id
        WHERE sample_index >= first_index AND sample_index < first_index + blocks.games
            AND series.strategy_id = games.strategy_id AND series.rows = games.rows AND series.cols = games.cols
            AND series.mines = games.mines AND series.first_click = games.first_click AND series.rule = games.rule
            AND series.seed = games.seed
    )
    UNION ALL
    SELECT strategy_id, rows, cols, mines, rule, first_click, blocks.games, wins, guesses, seconds, forfeits
    FROM series JOIN blocks ON series_id = series.id
)
SELECT
    name AS strategy,
    rows || 'x' || cols || '/' || mines || ', ' || rule || ' start' || CASE start
        WHEN 'stored' THEN ', stored'
        WHEN 'random' THEN ' anywhere'
        ELSE ' at ' || start END AS boards,
    sum(games) AS games,
    sum(wins) AS wins,
    round(100.0 * sum(wins) / sum(games), 2) AS win_rate_percent,
    round(1.0 * sum(guesses) / sum(games), 3) AS guesses_per_game,
    round(sum(seconds) / sum(games), 6) AS seconds_per_game,
    sum(forfeits) AS forfeits
FROM results JOIN strategies ON strategies.id = strategy_id
GROUP BY boards, strategy_id
ORDER BY rows * cols, mines, boards, 1.0 * sum(wins) / sum(games) DESC, name;
