/**
 * Classic games without the server: dealt, played and kept by this tab, and part of no record.
 *
 * Answers what the server would, in the same words, so that the page need not know who does.
 */

import { around } from "./codes.js";

const OPTIONS = "sweep-options";
const KEPT = "sweep-offline";
const IDS = "offline-";
export const NEEDED = "The server can't be reached: until it can, there are classic games, and no help with them.";

class Refused extends Error {
  constructor(words, code) {
    super(words);
    this.code = code;
  }
}

/** Note what the server offers, for the time when it can't be reached. */
export function note(options) {
  localStorage.setItem(OPTIONS, JSON.stringify(options));
}

/** Whether a game is one of these. */
export const isOffline = (id) => id.startsWith(IDS);

/** Answer a call that the server can't; throws an error with a sentence for people where only the server can. */
export function answerHere(path, body) {
  const [, what, id, act] = path.split("/").slice(1);
  if (what === "options") return options();
  if (what === "games" && body?.mode === "classic") return told(dealt(body));
  const kept = game();
  if (what === "games" && body?.mode === "again" && body.game === kept?.id) return told(playedAgain(kept));
  if (what !== "games" || !isOffline(id ?? "")) throw new Refused(NEEDED, "offline");
  if (id !== kept?.id) throw new Refused("This game is gone: start a new one.", "not_found");
  if (act === undefined) return told(kept);
  if (!(act in ACTS)) throw new Refused(NEEDED, "offline");
  if (statusOf(kept) === "won" || statusOf(kept) === "lost") throw new Refused("This game is over.", "conflict");
  kept.turn = Math.max(kept.turn, body.turn + 1);
  const before = new Set(kept.opened);
  ACTS[act](kept, body.row * kept.cols + body.col);
  if (statusOf(kept) !== "playing" && statusOf(kept) !== "ready") kept.seconds = secondsOf(kept);
  keep(kept);
  return told(kept, kept.opened.filter((index) => !before.has(index)));
}

function options() {
  const kept = localStorage.getItem(OPTIONS);
  if (kept === null) throw new Refused("The server does not answer. Is it still running?", "offline");
  return { ...JSON.parse(kept), offline: true, packs: [], puzzles: 0, begins_with: null };
}

function game() {
  return JSON.parse(sessionStorage.getItem(KEPT));
}

function keep(kept) {
  sessionStorage.setItem(KEPT, JSON.stringify(kept));
  return kept;
}

function dealt({ preset, start = "opening", ...size }) {
  const { rows, cols, mines } = preset ? options().presets.find(({ name }) => name === preset) ?? {} : size;
  const { limits } = options();
  const fits = rows >= 1 && cols >= 1 && rows <= limits.rows[1] && cols <= limits.cols[1] && rows * cols <= limits.cells;
  // As on the server, there must be room wherever the first click falls.
  const free = start === "opening" ? Math.min(3, rows) * Math.min(3, cols) : 1;
  if (!fits) throw new Refused(`A board has 1 to ${limits.rows[1]} rows and columns, and at most ${limits.cells} cells.`, "bad_input");
  if (!(mines >= 0 && mines <= rows * cols - free)) throw new Refused(`Expected 0 to ${rows * cols - free} mines.`, "bad_input");
  const fresh = { rows, cols, mines, start, mined: null, opened: [], flags: [], exploded: [], turn: 0, seconds: 0, began: null };
  return keep({ id: `${IDS}${Date.now()}`, ...fresh });
}

/** The same board once more, with its first cell open. */
function playedAgain({ id, mined, opened, ...others }) {
  if (mined === null) throw new Refused("This board is not dealt yet: the first click does.", "conflict");
  const again = { ...others, id: `${id}-`, mined, opened: [], flags: [], exploded: [], turn: 0, seconds: 0, began: null };
  open(again, opened[0]);
  // The clock waits for the player.
  again.began = null;
  return keep(again);
}

function deal(game, click) {
  const kept = new Set([click, ...(game.start === "opening" ? near(game, click) : [])]);
  const cells = Array.from({ length: game.rows * game.cols }, (_, index) => index).filter((index) => !kept.has(index));
  for (let i = 0; i < game.mines; i++) {
    const other = i + Math.floor(Math.random() * (cells.length - i));
    [cells[i], cells[other]] = [cells[other], cells[i]];
  }
  game.mined = cells.slice(0, game.mines);
}

const near = (game, index) => around(game.rows, game.cols, index);
const clue = (game, index) => near(game, index).filter((cell) => game.mined.includes(cell)).length;
const isHidden = (game, index) => !game.opened.includes(index);

const ACTS = {
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
    for (const cell of near(game, index)) ACTS.open(game, cell);
  },
};

/** Open a cell, and with a zero all around it. */
function open(game, index) {
  if (game.mined === null) deal(game, index);
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

function secondsOf(game) {
  return game.began === null ? 0 : (Date.now() - game.began) / 1000;
}

/** A game as the server tells one. */
function told(game, changed = []) {
  const status = statusOf(game);
  const at = (index) => [Math.floor(index / game.cols), index % game.cols];
  const opened = new Set(game.opened);
  const isOver = status === "won" || status === "lost";
  const cells = Array.from({ length: game.rows }, (_, row) => Array.from({ length: game.cols }, (_, col) => {
    const index = row * game.cols + col;
    return opened.has(index) ? clue(game, index) : "#";
  }).join(""));
  return {
    id: game.id, mode: "classic", title: `Classic ${game.rows}x${game.cols}/${game.mines}, without the server`,
    rows: game.rows, cols: game.cols, mines: game.mines, cells, flags: game.flags.map(at), status,
    exploded: game.exploded.map(at), mine_map: isOver ? game.mined.map(at) : null,
    seconds: isOver ? game.seconds : secondsOf(game), ticking: status === "playing",
    can_undo: false, undos: 0, helped: false, rules: null, guesses: null, verdict: null, changed: changed.map(at), turn: game.turn,
  };
}
