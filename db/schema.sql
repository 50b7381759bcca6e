-- Tables and views of the database. db/file.py checks them and both numbers, and lists the measures
-- of puzzles. The application id stands for "MSWP".
PRAGMA application_id = 0x4D535750;

PRAGMA user_version = 1;

-- Runs of the generator. The columns of the UNIQUE constraint determine which puzzles a run finds.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,  -- number of the run
    rows INTEGER NOT NULL CHECK (rows BETWEEN 1 AND 4000),
    cols INTEGER NOT NULL CHECK (cols BETWEEN 1 AND 4000),
    mines INTEGER NOT NULL CHECK (mines BETWEEN 0 AND rows * cols),
    first_click TEXT NOT NULL,  -- first click of the recipe: ROW,COL or random
    start TEXT NOT NULL CHECK (start IN ('opening', 'safe')),
    seed INTEGER NOT NULL CHECK (seed >= 0),
    grid TEXT NOT NULL DEFAULT '',  -- shape of the grid, empty for a rectangle
    method TEXT NOT NULL,  -- rejection or repair
    arguments TEXT NOT NULL,  -- the filter and other options, as JSON
    engine TEXT NOT NULL,  -- engine of the last command
    version TEXT NOT NULL,  -- version of the toolkit
    candidates INTEGER NOT NULL DEFAULT 0 CHECK (candidates >= 0),  -- boards tried
    kept INTEGER NOT NULL DEFAULT 0 CHECK (kept >= 0),  -- puzzles kept
    next_index INTEGER NOT NULL DEFAULT 0 CHECK (next_index >= 0),  -- index from which the run continues
    seconds REAL NOT NULL DEFAULT 0 CHECK (seconds >= 0),  -- time spent
    started TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,  -- time of the first command (UTC)
    updated TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,  -- time of the last change (UTC)
    UNIQUE (rows, cols, mines, first_click, start, seed, grid, method)
);

-- Puzzles, one in each row. db/columns.py has the meanings of the columns.
CREATE TABLE puzzles (
    id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 20),
    canonical_id TEXT NOT NULL CHECK (length(canonical_id) = 20),
    rows INTEGER NOT NULL CHECK (rows BETWEEN 1 AND 4000),
    cols INTEGER NOT NULL CHECK (cols BETWEEN 1 AND 4000),
    grid TEXT NOT NULL DEFAULT '',
    mines INTEGER NOT NULL CHECK (mines BETWEEN 0 AND rows * cols),
    first_row INTEGER NOT NULL CHECK (first_row BETWEEN 0 AND rows - 1),
    first_col INTEGER NOT NULL CHECK (first_col BETWEEN 0 AND cols - 1),
    start TEXT NOT NULL CHECK (start IN ('opening', 'safe')),
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
    path_steps INTEGER CHECK (path_steps >= 0 AND (path_steps IS NULL OR hardest_tier IS NOT NULL)),
    path_hard_steps INTEGER CHECK (path_hard_steps >= 0 AND (path_hard_steps IS NULL) = (path_steps IS NULL)),
    path_open_steps REAL CHECK (path_open_steps >= 0 AND (path_open_steps IS NULL) = (path_steps IS NULL)),
    path_longest_wait INTEGER CHECK (path_longest_wait >= 0 AND (path_longest_wait IS NULL) = (path_steps IS NULL)),
    path BLOB,
    {measures},
    first_opening INTEGER CHECK (first_opening >= 1),
    method TEXT NOT NULL,
    engine TEXT NOT NULL,
    seed INTEGER CHECK (seed >= 0),
    sample_index INTEGER CHECK (sample_index >= 0),
    certificate TEXT,
    run INTEGER REFERENCES runs (id),
    created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE INDEX puzzles_by_board ON puzzles (rows, cols, mines);

CREATE INDEX puzzles_by_run ON puzzles (run);

-- Strategies that have played.
CREATE TABLE strategies (
    id INTEGER PRIMARY KEY,  -- number of the strategy
    name TEXT NOT NULL UNIQUE,  -- name with options and revision
    added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP  -- time when it was added (UTC)
);

-- Games of strategies: on a stored puzzle, or on the random board number sample_index of a recipe.
CREATE TABLE games (
    id INTEGER PRIMARY KEY,  -- number of the game, for autoplay --replay and analyse game:ID
    strategy_id INTEGER NOT NULL REFERENCES strategies (id),  -- strategy that played
    puzzle_id TEXT REFERENCES puzzles (id),  -- puzzle played, NULL for a random board
    rows INTEGER NOT NULL CHECK (rows BETWEEN 1 AND 4000),
    cols INTEGER NOT NULL CHECK (cols BETWEEN 1 AND 4000),
    mines INTEGER NOT NULL CHECK (mines BETWEEN 0 AND rows * cols),
    first_click TEXT NOT NULL,  -- first click of the puzzle or of the recipe: ROW,COL or random
    start TEXT NOT NULL CHECK (start IN ('opening', 'safe')),
    seed INTEGER CHECK (seed >= 0),
    grid TEXT NOT NULL DEFAULT '',  -- shape of the grid, empty for a rectangle
    sample_index INTEGER CHECK (sample_index >= 0),
    won INTEGER NOT NULL CHECK (won IN (0, 1)),  -- 1 if won, else 0
    opened INTEGER NOT NULL CHECK (opened BETWEEN 0 AND rows * cols - mines),  -- cells opened
    guesses INTEGER NOT NULL CHECK (guesses >= 0),  -- guesses made
    seconds REAL NOT NULL CHECK (seconds >= 0),  -- time of the game
    played TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,  -- time when it was stored (UTC)
    fault TEXT CHECK (fault IS NULL OR won = 0),  -- reason of a forfeit, NULL for other games
    CHECK ((puzzle_id IS NULL) = (seed IS NOT NULL) AND (seed IS NULL) = (sample_index IS NULL))
);

CREATE UNIQUE INDEX games_of_puzzles ON games (puzzle_id, strategy_id) WHERE puzzle_id IS NOT NULL;

CREATE UNIQUE INDEX games_of_samples
    ON games (strategy_id, rows, cols, mines, first_click, start, seed, grid, sample_index) WHERE puzzle_id IS NULL;

-- A series is the games of one strategy on the boards 0, 1, 2, ... of a recipe, in blocks of consecutive games.
CREATE TABLE series (
    id INTEGER PRIMARY KEY,  -- number of the series
    strategy_id INTEGER NOT NULL REFERENCES strategies (id),  -- strategy that played
    rows INTEGER NOT NULL CHECK (rows BETWEEN 1 AND 4000),
    cols INTEGER NOT NULL CHECK (cols BETWEEN 1 AND 4000),
    mines INTEGER NOT NULL CHECK (mines BETWEEN 0 AND rows * cols),
    first_click TEXT NOT NULL,  -- first click of the recipe: ROW,COL or random
    start TEXT NOT NULL CHECK (start IN ('opening', 'safe')),
    seed INTEGER NOT NULL CHECK (seed >= 0),
    grid TEXT NOT NULL DEFAULT '',  -- shape of the grid, empty for a rectangle
    started TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,  -- time when it was added (UTC)
    UNIQUE (strategy_id, rows, cols, mines, first_click, start, seed, grid)
);

-- Blocks of consecutive games of a series.
CREATE TABLE blocks (
    series_id INTEGER NOT NULL REFERENCES series (id),  -- series of the block
    first_index INTEGER NOT NULL CHECK (first_index >= 0),  -- index of its first board
    games INTEGER NOT NULL CHECK (games > 0),  -- games in the block
    wins INTEGER NOT NULL CHECK (wins BETWEEN 0 AND games),  -- games won
    opened INTEGER NOT NULL CHECK (opened >= 0),  -- cells opened in all games
    guesses INTEGER NOT NULL CHECK (guesses >= 0),  -- guesses in all games
    seconds REAL NOT NULL CHECK (seconds >= 0),  -- time of all games
    forfeits INTEGER NOT NULL DEFAULT 0 CHECK (forfeits BETWEEN 0 AND games),  -- games forfeited
    won_bits BLOB NOT NULL CHECK (length(won_bits) = (games + 7) / 8),  -- a bit per game, 1 if won, most significant first
    played TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,  -- time when it was stored (UTC)
    PRIMARY KEY (series_id, first_index)
);

-- Finished games of people on the page. A game with an unranked reason does not count in its player's statistics.
CREATE TABLE human_games (
    number INTEGER PRIMARY KEY,  -- number of the game, for review play:NUMBER
    id TEXT NOT NULL UNIQUE,  -- id of the game on the page
    player TEXT NOT NULL,  -- digest of the player's secret
    mode TEXT NOT NULL,  -- kind of game on the page
    title TEXT NOT NULL,  -- title of the game on the page
    rows INTEGER NOT NULL CHECK (rows > 0),
    cols INTEGER NOT NULL CHECK (cols > 0),
    grid TEXT NOT NULL DEFAULT '',  -- shape of the grid, empty for a rectangle
    mine_bits BLOB NOT NULL,
    recorded_clicks TEXT NOT NULL,  -- the clicks and their times, as JSON
    won INTEGER NOT NULL CHECK (won IN (0, 1)),  -- 1 if won, else 0
    seconds REAL NOT NULL CHECK (seconds >= 0),  -- time of the game
    clicks INTEGER NOT NULL CHECK (clicks >= 0),  -- clicks of all kinds
    unranked TEXT NOT NULL CHECK (unranked IN ('', 'help', 'repeat')),  -- why it does not count: help, or repeat of a board
    day TEXT,  -- date of the daily puzzle, if it was played on that day
    bbbv INTEGER,  -- 3BV of the board
    solved_bbbv INTEGER,  -- 3BV of the cells that were opened
    zini INTEGER,  -- clicks of the better ZiNi plan
    luck REAL,  -- probability of surviving all guesses of the game
    forced INTEGER,  -- forced guesses
    needless INTEGER,  -- needless guesses
    stuck_seconds REAL,  -- time without a cell that is certain
    ended TEXT NOT NULL  -- time of the end (UTC)
);

CREATE INDEX human_games_by_player ON human_games (player, number);

CREATE INDEX human_games_by_board ON human_games (player, rows, cols, mine_bits);

CREATE INDEX human_games_by_time ON human_games (player, mode, rows, cols, seconds) WHERE won AND unranked = '';

-- The columns of puzzles, after some that are computed from them.
CREATE VIEW puzzle_list AS
SELECT
    rtrim(rows || 'x' || cols || ' ' || grid) AS size,
    rtrim(rows || 'x' || cols || '/' || mines || ' ' || grid) AS boards,
    first_row || ',' || first_col AS first_click,
    round(1.0 * bbbv / min(greedy_zini, human_zini), 3) AS efficiency_bound,
    first_opening > 1 OR rows * cols = 1 AS first_is_zero,
    puzzles.*
FROM puzzles;

-- Drawings of the boards.
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
) AS drawing  -- the board, a line for each row, * for a mine and . for a safe cell
FROM puzzle_cells;

-- Results by strategy and family of boards. A game that is also in a series counts once.
CREATE VIEW leaderboard AS
WITH results AS (
    SELECT strategy_id, rows, cols, grid, mines, start, iif(puzzle_id IS NULL, first_click, 'stored') AS click,
        1 AS games, won AS wins, guesses, seconds, fault IS NOT NULL AS forfeits
    FROM games
    WHERE puzzle_id IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM series JOIN blocks ON series_id = series.id
        WHERE sample_index >= first_index AND sample_index < first_index + blocks.games
            AND series.strategy_id = games.strategy_id AND series.rows = games.rows AND series.cols = games.cols
            AND series.mines = games.mines AND series.first_click = games.first_click AND series.start = games.start
            AND series.seed = games.seed AND series.grid = games.grid
    )
    UNION ALL
    SELECT strategy_id, rows, cols, grid, mines, start, first_click, blocks.games, wins, guesses, seconds, forfeits
    FROM series JOIN blocks ON series_id = series.id
)
SELECT
    name AS strategy,  -- strategy, with options and revision
    rtrim(rows || 'x' || cols || '/' || mines || ' ' || grid) || ', ' || start || ' start' || CASE click
        WHEN 'stored' THEN ', stored'
        WHEN 'random' THEN ' anywhere'
        ELSE ' at ' || click END AS boards,  -- family of boards: size, mines, grid, start rule, first click
    sum(games) AS games,  -- games played
    sum(wins) AS wins,  -- games won
    round(100.0 * sum(wins) / sum(games), 2) AS win_rate_percent,  -- games won, in percent
    round(1.0 * sum(guesses) / sum(games), 3) AS guesses_per_game,  -- mean number of guesses
    round(sum(seconds) / sum(games), 6) AS seconds_per_game,  -- mean time of a game
    sum(forfeits) AS forfeits  -- games forfeited
FROM results JOIN strategies ON strategies.id = strategy_id
GROUP BY boards, strategy_id
ORDER BY rows * cols, mines, boards, 1.0 * sum(wins) / sum(games) DESC, name;
