/**
 * Classic games without the server: this tab creates, plays and stores them, and no record includes them.
 *
 * The functions return the same data and messages as the server, so the pages work with both.
 */

import { around } from "./codes.js";

const OPTIONS = "sweep-options";
const STORED = "sweep-offline";
const IDS = "offline-";
export const NEEDED = "The server can't be reached. Until it is back you can play classic games, without help.";

/** An error with a message for the player; its code is that of the server's responses, or "offline". */
export class ApiError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/** Store the server's options for the time when it is unreachable. */
export function storeOptions(options) {
  localStorage.setItem(OPTIONS, JSON.stringify(options));
}

/** Whether the id is that of an offline game. */
export const isOffline = (id) => id.startsWith(IDS);

/** Answer a call without the server; throws an error if only the server can answer it. */
export function answerOffline(path, body) {
  const [, what, id, action] = path.split("/").slice(1);
  if (what === "options") return options();
  if (what === "games" && body?.mode === "classic") return stateOf(newGame(body));
  const game = JSON.parse(sessionStorage.getItem(STORED));
  if (what === "games" && body?.mode === "again" && body.game === game?.id) return stateOf(sameBoard(game));
  if (what !== "games" || !isOffline(id ?? "")) throw new ApiError(NEEDED, "offline");
  if (id !== game?.id) throw new ApiError("This game is gone: start a new one.", "not_found");
  if (action === undefined) return stateOf(game);
  if (!(action in ACTIONS)) throw new ApiError(NEEDED, "offline");
  if (isOver(game)) throw new ApiError("This game is over.", "conflict");
  game.turn = Math.max(game.turn, body.turn + 1);
  const before = new Set(game.opened);
  ACTIONS[action](game, body.row * game.cols + body.col);
  if (isOver(game)) game.seconds = secondsOf(game);
  store(game);
  return stateOf(game, game.opened.filter((index) => !before.has(index)));
}

function options() {
  const stored = localStorage.getItem(OPTIONS);
  if (stored === null) throw new ApiError("The server does not answer. Is it still running?", "offline");
  return { ...JSON.parse(stored), offline: true, packs: [], puzzles: 0, begins_with: null };
}

function store(game) {
  sessionStorage.setItem(STORED, JSON.stringify(game));
  return game;
}

const unplayed = () => ({ opened: [], flags: [], exploded: [], turn: 0, seconds: 0, began: null });

function newGame({ preset, start = "opening", ...size }) {
  const { rows, cols, mines } = preset ? options().presets.find(({ name }) => name === preset) ?? {} : size;
  const { limits } = options();
  const fits = rows >= 1 && cols >= 1 && rows <= limits.rows[1] && cols <= limits.cols[1] && rows * cols <= limits.cells;
  // As on the server, the mines must fit wherever the first click is.
  const most = rows * cols - (start === "opening" ? Math.min(3, rows) * Math.min(3, cols) : 1);
  if (!fits) throw new ApiError(`A board has 1 to ${limits.rows[1]} rows and columns, and at most ${limits.cells} cells.`, "bad_input");
  if (!(mines >= 0 && mines <= most)) throw new ApiError(`This board has room for 0 to ${most} mines.`, "bad_input");
  return store({ id: `${IDS}${Date.now()}`, rows, cols, mines, start, mined: null, ...unplayed() });
}

/** The same board again, with its first cell open. The clock starts with the next click. */
function sameBoard(game) {
  if (game.mined === null) throw new ApiError("There is no board yet: it comes with the first click.", "conflict");
  const again = { ...game, id: `${game.id}-`, ...unplayed() };
  open(again, game.opened[0]);
  again.began = null;
  return store(again);
}

/** Place the mines at random, away from the first click. */
function placeMines(game, click) {
  const safe = new Set([click, ...(game.start === "opening" ? near(game, click) : [])]);
  const cells = Array.from({ length: game.rows * game.cols }, (_, index) => index).filter((index) => !safe.has(index));
  for (let i = 0; i < game.mines; i++) {
    const other = i + Math.floor(Math.random() * (cells.length - i));
    [cells[i], cells[other]] = [cells[other], cells[i]];
  }
  game.mined = cells.slice(0, game.mines);
}

const near = (game, index) => around(game.rows, game.cols, index);
const clue = (game, index) => near(game, index).filter((cell) => game.mined.includes(cell)).length;
const isHidden = (game, index) => !game.opened.includes(index);

const ACTIONS = {
  open(game, index) {
    if (isHidden(game, index) && !game.flags.includes(index)) open(game, index);
  },
  flag(game, index) {
    if (!isHidden(game, index)) return;
    game.flags = game.flags.includes(index) ? game.flags.filter((flag) => flag !== index) : [...game.flags, index];
  },
  chord(game, index) {
    if (isHidden(game, index)) return;
    const flagged = near(game, index).filter((cell) => game.flags.includes(cell));
    if (flagged.length !== clue(game, index)) return;
    for (const cell of near(game, index)) ACTIONS.open(game, cell);
  },
};

/** Open a cell, and the cells around every zero. */
function open(game, index) {
  if (game.mined === null) placeMines(game, index);
  game.began ??= Date.now();
  if (game.mined.includes(index)) {
    game.exploded.push(index);
    return;
  }
  const todo = [index];
  while (todo.length) {
    const cell = todo.pop();
    if (!isHidden(game, cell)) continue;
    game.opened.push(cell);
    game.flags = game.flags.filter((flag) => flag !== cell);
    if (clue(game, cell) === 0) todo.push(...near(game, cell));
  }
}

function statusOf(game) {
  if (game.exploded.length) return "lost";
  if (game.opened.length === game.rows * game.cols - game.mines) return "won";
  return game.opened.length ? "playing" : "ready";
}

const isOver = (game) => ["won", "lost"].includes(statusOf(game));
const secondsOf = (game) => (game.began === null ? 0 : (Date.now() - game.began) / 1000);

/** The state of a game, as the server returns it. */
function stateOf(game, changed = []) {
  const status = statusOf(game);
  const at = (index) => [Math.floor(index / game.cols), index % game.cols];
  const opened = new Set(game.opened);
  const cells = Array.from({ length: game.rows }, (_, row) => Array.from({ length: game.cols }, (_, col) => {
    const index = row * game.cols + col;
    return opened.has(index) ? clue(game, index) : "#";
  }).join(""));
  return {
    id: game.id, mode: "classic", title: `Classic ${game.rows}x${game.cols}/${game.mines}, without the server`,
    rows: game.rows, cols: game.cols, mines: game.mines, cells, flags: game.flags.map(at), status,
    exploded: game.exploded.map(at), mine_map: isOver(game) ? game.mined.map(at) : null,
    seconds: isOver(game) ? game.seconds : secondsOf(game), ticking: status === "playing",
    can_undo: false, undos: 0, helped: false, rules: null, guesses: null, verdict: null, changed: changed.map(at), turn: game.turn,
  };
}
