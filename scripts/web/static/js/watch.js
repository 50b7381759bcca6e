/** The Watch page: an automatic player at work, step by step or running, with what it weighed at its guesses. */

import { get, post } from "./api.js";
import { Board, placeName } from "./board.js";
import { codesOf, marksOf, uncertain } from "./codes.js";
import { $, make } from "./dom.js";
import { NEEDED } from "./offline.js";
import { lack } from "./pages.js";
import { addressOfGame } from "./position.js";
import { orTell, tell } from "./messages.js";
import { Zoom } from "./zoom.js";

const FIRST_PRESET = "expert";
const RATINGS = 5;

const percent = (share) => `${(share * 100).toFixed(1)}\u00a0%`;

class Watch {
  #timer = 0;
  #asking = false;
  /** What was shown so far: `{game, answer, weighs}`. A guess has two frames: what it weighs, then what it opens. */
  #frames = [];
  #at = 0;

  constructor(options) {
    this.zoom = new Zoom($(".board-scroll"));
    $("#strategy").replaceChildren(...options.strategies.map((name) => new Option(name, name)));
    $("#strategy").value = options.default_strategy;
    $("#preset").replaceChildren(
      ...options.presets.map(({ name, rows, cols, mines }) => new Option(`${name}, ${rows}x${cols}/${mines}`, name)),
    );
    const first = options.begins_with ?? FIRST_PRESET;
    if (options.presets.some(({ name }) => name === first)) $("#preset").value = first;
    $("#step").addEventListener("click", () => this.step());
    $("#back").addEventListener("click", () => this.back());
    $("#run").addEventListener("click", () => this.#run(!this.runs));
    $("#analyse").addEventListener("click", () => this.game && location.assign(`/analyse${addressOfGame(this.#frames[this.#at].game)}`));
    $("#same").addEventListener("click", () => orTell(() => this.begin({ game: this.game.id })));
    for (const id of ["fresh", "strategy", "preset", "seed"]) {
      $(`#${id}`).addEventListener(id === "fresh" ? "click" : "change", () => orTell(() => this.begin()));
    }
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, .words, #board")) return;
      if (event.key === "ArrowLeft") this.back();
      if (event.key === "ArrowRight" && this.game) this.step();
    });
  }

  get runs() {
    return $("#run").getAttribute("aria-pressed") === "true";
  }

  /** Let the chosen player sit down at a fresh board, or at the one that `wanted` names. */
  async begin(wanted = this.#wanted()) {
    this.#run(false);
    $("#step").disabled = $("#run").disabled = true;
    const game = await post("/api/games", { mode: "watch", strategy: $("#strategy").value, ...wanted });
    const label = `Board of the automatic player, ${game.rows} rows, ${game.cols} columns, ${game.mines} mines`;
    this.board = new Board($("#board"), { rows: game.rows, cols: game.cols, label });
    this.zoom.show(this.board);
    $("#title").textContent = game.title;
    $("#ratings").hidden = true;
    this.#frames = [{ game }];
    this.#show(0);
  }

  #wanted() {
    const seed = $("#seed").value ? { seed: $("#seed").valueAsNumber } : {};
    return { preset: $("#preset").value, ...seed };
  }

  /** One step on: what was seen before, or else the player's next move. */
  async step() {
    if (this.#asking || this.isOver) return;
    if (this.#at + 1 < this.#frames.length) {
      this.#show(this.#at + 1);
      return;
    }
    this.#asking = true;
    const { game } = this;
    try {
      const answer = await orTell(() => post(`/api/games/${game.id}/step`, { moves: 1 }));
      if (!answer) this.#run(false);
      if (!answer || answer.game.id !== this.game.id) return;
      if (answer.moves[0]?.reason === "guess") this.#frames.push({ game, answer, weighs: true });
      this.#frames.push({ game: answer.game, answer });
      this.#show(this.#at + 1);
    } finally {
      this.#asking = false;
    }
  }

  /** One step back. */
  back() {
    this.#run(false);
    if (this.#at > 0) this.#show(this.#at - 1);
  }

  /** The game as it stands at the last frame. */
  get game() {
    return this.#frames.at(-1)?.game;
  }

  get isOver() {
    const { game } = this.#frames[this.#at];
    return game.status === "won" || game.status === "lost";
  }

  #show(at) {
    this.#at = at;
    const { game, answer, weighs } = this.#frames[at];
    this.board.show(codesOf(game));
    this.board.root.classList.toggle("is-won", game.status === "won");
    this.board.root.classList.toggle("is-lost", game.status === "lost");
    const left = game.mines - game.flags.length;
    $("#mines-left").textContent = left;
    $("#mines-left-box").setAttribute("aria-label", `${left} mines not found yet`);
    $("#back").disabled = at === 0;
    $("#step").disabled = $("#run").disabled = this.isOver;
    this.board.mark(new Map());
    this.board.chances(new Map());
    if (!answer) tell(`${$("#strategy").value} is about to play. Step, or let it run.`);
    else if (weighs) this.#weigh(answer);
    else for (const move of answer.moves) this.#speakOf(move);
    if (this.isOver) this.#end(game);
  }

  /** Show what the player weighs at a guess, before it is seen what came of it. */
  #weigh(answer) {
    const [move] = answer.moves;
    const { cols } = this.board;
    const [[row, col]] = move.cells;
    this.board.mark(marksOf(cols, { asked: move.cells }));
    this.#reveal(move.cells[0]);
    this.board.chances(uncertain(move.chances), row * cols + col);
    this.#rate(move.ratings, move.cells[0]);
    const chance = move.chances?.[row][col];
    const risk = chance == null ? "" : `, where a mine is in ${percent(chance)} of all layouts`;
    tell(`Nothing is certain. It will guess ${placeName(row * cols + col, cols)}${risk}.`, { tone: "guess", silent: this.runs });
  }

  #speakOf(move) {
    const { cols } = this.board;
    const isGuess = move.reason === "guess";
    this.board.mark(marksOf(cols, { fresh: move.cells, "is-mine": move.mines }));
    this.#reveal(move.cells[0]);
    const clicked = move.cells.length === 1
      ? `opens ${placeName(move.cells[0][0] * cols + move.cells[0][1], cols)}`
      : `opens ${move.cells.length} cells`;
    const found = move.mines.length ? `, recognises ${move.mines.length} mine${move.mines.length > 1 ? "s" : ""}` : "";
    tell([`${move.reason}: ${clicked}${found}.`], { tone: isGuess ? "guess" : "", silent: this.runs });
  }

  /** Let a cell be seen, where the board is larger than its box. */
  #reveal(cell) {
    if (cell) this.board.reveal(cell[0] * this.board.cols + cell[1]);
  }

  #rate(ratings, chosen) {
    const list = $("#ratings");
    list.hidden = false;
    list.replaceChildren(
      ...ratings.slice(0, RATINGS).map(({ cell: [row, col], mine_probability: mine, progress }) => {
        const more = !progress ? "" : `, goes on ${percent(progress)}`;
        const risk = mine == null ? "" : `: mine ${percent(mine)}`;
        const isChosen = row === chosen[0] && col === chosen[1];
        const place = placeName(row * this.board.cols + col, this.board.cols);
        return make("li", isChosen ? { class: "chosen" } : {}, `${place}${risk}${more}`);
      }),
    );
  }

  #end(game) {
    this.#run(false);
    const won = game.status === "won";
    tell(won ? "It won." : "It stepped on a mine: a guess that went wrong.", { tone: won ? "won" : "lost" });
  }

  #run(runs) {
    $("#run").setAttribute("aria-pressed", runs);
    $("#run").textContent = runs ? "Pause" : "Run";
    clearTimeout(this.#timer);
    if (runs) this.#next();
  }

  #next() {
    this.#timer = setTimeout(async () => {
      await this.step();
      if (this.runs && !this.isOver) this.#next();
    }, 1000 / $("#speed").valueAsNumber);
  }
}

/** Start the page. */
export async function start() {
  const options = await orTell(() => get("/api/options"));
  if (options?.offline) lack("watch", NEEDED);
  else if (options) await orTell(() => new Watch(options).begin());
}
