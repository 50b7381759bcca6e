PRAGMA application_id = 1296649797;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
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
    CHECK ((puzzle_id IS NULL) = (seed IS NOT NULL) AND (seed IS NULL) = (sample_index IS NULL))
);
INSERT INTO "games" VALUES(1,1,'cae060802bc3df395a42',9,9,10,'4,4','opening',NULL,NULL,1,71,0,0.5,'2025-01-01 12:00:00');
INSERT INTO "games" VALUES(2,2,NULL,9,9,10,'4,4','opening',3,0,0,9,2,0.25,'2025-01-01 12:00:00');
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
    hardest_tier TEXT NOT NULL
        CHECK (hardest_tier IN ('first click', '1 clue', '2 clues', 'more clues', 'mine count')),
    steps_1_clue INTEGER NOT NULL CHECK (steps_1_clue >= 0),
    steps_2_clues INTEGER NOT NULL CHECK (steps_2_clues >= 0),
    steps_more_clues INTEGER NOT NULL CHECK (steps_more_clues >= 0),
    steps_mine_count INTEGER NOT NULL CHECK (steps_mine_count >= 0),
    needs_mine_count INTEGER NOT NULL CHECK (needs_mine_count = (steps_mine_count > 0)),
    method TEXT NOT NULL,
    engine TEXT NOT NULL,
    certificate TEXT,
    run_id INTEGER REFERENCES runs (id),
    seed INTEGER CHECK (seed >= 0),
    sample_index INTEGER CHECK (sample_index >= 0),
    created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO "puzzles" VALUES('cae060802bc3df395a42','551124b874731d860dd6',9,9,10,4,4,'opening',X'4400283000000881400000','1 clue',40,0,0,0,0,'rejection','sat',NULL,1,7,0,'2025-01-01 12:00:00');
INSERT INTO "puzzles" VALUES('b498462be23b622cce40','2e088385c9bd71dd7206',9,9,10,4,4,'opening',X'0100020800011023800200','more clues',40,1,1,0,0,'rejection','sat',NULL,1,7,1,'2025-01-01 12:00:00');
INSERT INTO "puzzles" VALUES('0a38402126033e871b59','0a38402126033e871b59',9,9,10,4,4,'opening',X'0108400820030800880000','more clues',40,2,2,0,0,'rejection','sat',NULL,1,7,2,'2025-01-01 12:00:00');
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
INSERT INTO "runs" VALUES(1,9,9,10,'4,4','opening',7,'rejection','{"size": "9x9", "mines": 10, "count": 3}','sat','0.1.0',3,3,3,0.25,'2025-01-01 12:00:00','2025-01-01 12:00:00');
CREATE TABLE strategies (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO "strategies" VALUES(1,'local','2025-01-01 12:00:00');
INSERT INTO "strategies" VALUES(2,'random','2025-01-01 12:00:00');
CREATE INDEX puzzles_by_canonical_id ON puzzles (canonical_id);
CREATE INDEX puzzles_by_board ON puzzles (rows, cols, mines);
CREATE INDEX puzzles_by_run ON puzzles (run_id);
CREATE UNIQUE INDEX games_of_puzzles ON games (puzzle_id, strategy_id) WHERE puzzle_id IS NOT NULL;
CREATE UNIQUE INDEX games_of_samples
    ON games (strategy_id, rows, cols, mines, first_click, rule, seed, sample_index) WHERE puzzle_id IS NULL;
CREATE VIEW puzzle_list AS SELECT id, rows || 'x' || cols || '/' || mines AS board,
    first_row || ',' || first_col AS first_click, rule, hardest_tier, steps_1_clue, steps_2_clues, steps_more_clues,
    steps_mine_count, method, engine, run_id, seed, sample_index, created
FROM puzzles;
CREATE VIEW puzzle_drawings AS SELECT id, (
    WITH RECURSIVE line(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM line WHERE number < rows - 1)
    SELECT group_concat(substr(cells, number * cols + 1, cols), char(10)) FROM line
) AS drawing
FROM (SELECT id, rows, cols, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(hex(mine_bits), '0', '....'), '1', '...*'), '2', '..*.'), '3', '..**'), '4', '.*..'), '5', '.*.*'), '6', '.**.'), '7', '.***'), '8', '*...'), '9', '*..*'), 'A', '*.*.'), 'B', '*.**'), 'C', '**..'), 'D', '**.*'), 'E', '***.'), 'F', '****') AS cells FROM puzzles);
CREATE VIEW leaderboard AS SELECT name AS strategy,
    rows || 'x' || cols || '/' || mines || ', ' || rule || ' start' || CASE
        WHEN puzzle_id IS NOT NULL THEN ', stored'
        WHEN first_click = 'random' THEN ' anywhere'
        ELSE ' at ' || first_click END AS boards,
    count(*) AS games,
    sum(won) AS wins,
    round(100.0 * avg(won), 2) AS win_rate_percent,
    round(avg(guesses), 3) AS guesses_per_game,
    round(avg(seconds), 6) AS seconds_per_game
FROM games JOIN strategies ON strategies.id = strategy_id
GROUP BY boards, strategy_id
ORDER BY rows * cols, mines, boards, avg(won) DESC, name;
COMMIT;
