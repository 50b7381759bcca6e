/** The Watch page: an automatic player at work, step by step or running, with what it weighed at its guesses. */

import { get, post } from "./api.js";
import { Board, placeName } from "./board.js";
import { codesOf, marksOf, uncertain } from "./codes.js";
import { $, make } from "./dom.js";
import { orTell, tell } from "./words.js";
import { Zoom } from "./zoom.js";

const FIRST_PRESET = "expert";
const RATINGS = 5;

const percent = (share) => `${(share * 100).toFixed(1)}\u00a0%`;

class Watch {
  #timer = 0;
  #asking = false;
  #guessed = null;

  constructor(options) {
    this.zoom = new Zoom($(".board-scroll"));
    $("#strategy").replaceChildren(...options.strategies.map((name) => new Option(name, name)));
    $("#strategy").value = options.default_strategy;
    $("#preset").replaceChildren(
      ...options.presets.map(({ name, rows, cols, mines }) => new Option(`${name}, ${rows}x${cols}/${mines}`, name)),
    );
    if (options.presets.some(({ name }) => name === FIRST_PRESET)) $("#preset").value = FIRST_PRESET;
    $("#step").addEventListener("click", () => this.step());
    $("#run").addEventListener("click", () => this.#run(!this.runs));
    for (const id of ["fresh", "strategy", "preset"]) {
      $(`#${id}`).addEventListener(id === "fresh" ? "click" : "change", () => orTell(() => this.begin()));
    }
  }

  get runs() {
    return $("#run").getAttribute("aria-pressed") === "true";
  }

  /** Let the chosen player sit down at a fresh board. */
  async begin() {
    this.#run(false);
    this.#guessed = null;
    $("#step").disabled = $("#run").disabled = true;
    const game = await post("/api/games", { mode: "watch", preset: $("#preset").value, strategy: $("#strategy").value });
    const label = `Board of the automatic player, ${game.rows} rows, ${game.cols} columns, ${game.mines} mines`;
    this.board = new Board($("#board"), { rows: game.rows, cols: game.cols, label });
    this.zoom.show(this.board);
    $("#title").textContent = game.title;
    $("#ratings").hidden = true;
    this.#show(game);
    tell(`${$("#strategy").value} is about to play. Step, or let it run.`);
  }

  /** One move of the player. A guess takes two: first what it weighs, then what it opens. */
  async step() {
    if (this.#asking || this.isOver) return;
    if (this.#guessed) {
      this.#showMove(this.#guessed);
      return;
    }
    this.#asking = true;
    try {
      const answer = await orTell(() => post(`/api/games/${this.game.id}/step`, { moves: 1 }));
      if (!answer) {
        this.#run(false);
        return;
      }
      if (answer.moves[0]?.reason === "guess") this.#weigh(answer);
      else this.#showMove(answer);
    } finally {
      this.#asking = false;
    }
  }

  get isOver() {
    return this.game.status === "won" || this.game.status === "lost";
  }

  #show(game) {
    this.game = game;
    this.board.show(codesOf(game));
    this.board.root.classList.toggle("is-won", game.status === "won");
    this.board.root.classList.toggle("is-lost", game.status === "lost");
    const left = game.mines - game.flags.length;
    $("#mines-left").textContent = left;
    $("#mines-left-box").setAttribute("aria-label", `${left} mines not found yet`);
    $("#step").disabled = $("#run").disabled = this.isOver;
  }

  #showMove(answer) {
    this.#guessed = null;
    this.#show(answer.game);
    for (const move of answer.moves) this.#speakOf(move);
    if (this.isOver) this.#end();
  }

  /** Show what the player weighs at a guess, before it is seen what came of it. */
  #weigh(answer) {
    const [move] = answer.moves;
    const { cols } = this.board;
    const [[row, col]] = move.cells;
    this.#guessed = answer;
    this.board.mark(marksOf(cols, { asked: move.cells }));
    this.board.chances(uncertain(move.chances));
    this.#rate(move.ratings, move.cells[0]);
    const chance = move.chances?.[row][col];
    const risk = chance == null ? "" : `, where a mine is in ${percent(chance)} of all layouts`;
    tell(`Nothing is certain. It will guess ${placeName(row * cols + col, cols)}${risk}.`, { tone: "guess", silent: this.runs });
  }

  #speakOf(move) {
    const { cols } = this.board;
    const isGuess = move.reason === "guess";
    this.board.mark(marksOf(cols, { fresh: move.cells, "is-mine": move.mines }));
    const clicked = move.cells.length === 1
      ? `opens ${placeName(move.cells[0][0] * cols + move.cells[0][1], cols)}`
      : `opens ${move.cells.length} cells`;
    const found = move.mines.length ? `, recognises ${move.mines.length} mine${move.mines.length > 1 ? "s" : ""}` : "";
    tell([`${move.reason}: ${clicked}${found}.`], { tone: isGuess ? "guess" : "", silent: this.runs });
    this.board.chances(new Map());
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

  #end() {
    this.#run(false);
    const won = this.game.status === "won";
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
  if (options) await orTell(() => new Watch(options).begin());
}
