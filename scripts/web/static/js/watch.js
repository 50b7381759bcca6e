/** The Watch page: an automatic player plays step by step or continuously, and shows the options of its guesses. */

import { STRATEGIES } from "../kernel/index.js";
import { options, post } from "./api.js";
import { Board } from "./board.js";
import { codesOf, uncertain } from "./codes.js";
import { $, isPressed, onClick, onKeys, press } from "./dom.js";
import { gridOf, sizeToJSON } from "./core/sizes.js";
import { gridName, percent, placeName, sizeName } from "./format.js";
import { orShowError, showMessage, showRatings } from "./messages.js";
import { ask, askMore } from "./engine.js";
import { goToAnalysis } from "./place.js";
import { t, translated, translatedTitle } from "./words.js";
import { Zoom } from "./zoom.js";

const FIRST_PRESET = "expert";
const RATINGS = 5;
/** The player that knows the board. */
const PLAN = "plan";

class Watch {
  #timer = 0;
  #asking = false;
  /** The frames so far: `{game, answer, isChoice}`. A guess has two frames: the options, then the result. */
  #frames = [];
  #at = 0;
  /** Counts the boards; a game that an earlier choice started comes too late. */
  #turn = 0;
  /** The remaining moves of a plan, or of a player that only the server has; null for the engine's players. */
  #moves = null;

  constructor(offered) {
    this.presets = offered.presets;
    this.zoom = new Zoom($(".board-scroll"));
    $("#strategy").replaceChildren(
      ...offered.strategies.map((name) => new Option(name, name)),
      new Option(t("shortest plan"), PLAN),
    );
    $("#strategy").value = offered.default_strategy;
    $("#preset").replaceChildren(
      ...offered.presets.map(
        (preset) => new Option(`${translated(preset.name)}, ${translatedTitle(sizeName(preset))}`, preset.name),
      ),
    );
    $("#grid").replaceChildren(...offered.grids.map((name) => new Option(gridName(name), name)));
    const first = offered.begins_with ?? FIRST_PRESET;
    if (offered.presets.some(({ name }) => name === first)) $("#preset").value = first;
    onClick("step", () => this.step());
    onClick("back", () => this.back());
    onClick("run", () => this.#run(!this.runs));
    onClick("analyse", () => this.game && goToAnalysis(this.board.grid, this.#frames[this.#at].game));
    onClick("same", () => orShowError(() => this.begin({ game: this.game.id })));
    for (const id of ["fresh", "strategy", "preset", "grid", "seed"]) {
      $(`#${id}`).addEventListener(id === "fresh" ? "click" : "change", () => orShowError(() => this.begin()));
    }
    onKeys(
      { ArrowLeft: () => this.back(), ArrowRight: () => this.game && this.step() },
      "input, select, .words, #board",
    );
  }

  get runs() {
    return isPressed("run");
  }

  /**
   * Start a game of the chosen player on a new board, or on the board of a `request`.
   *
   * @param {Record<string, any>} request
   */
  async begin(request = this.#request()) {
    this.#run(false);
    $("#step").disabled = $("#run").disabled = true;
    const turn = ++this.#turn;
    const strategy = $("#strategy").value;
    const game = request.game
      ? await ask("again", request.game, { mode: "watch", title: this.#player })
      : await ask("newGame", { mode: "watch", strategy: this.#player, ...request });
    const moves = await this.#movesOf(strategy, game.id);
    if (turn !== this.#turn) return;
    this.#moves = moves;
    const label = t("Board of the automatic player, {rows} rows, {cols} columns, {mines} mines", game);
    this.board = this.zoom.show(new Board($("#board"), gridOf(game), label));
    $("#title").textContent = translatedTitle(game.title);
    $("#ratings").hidden = true;
    this.#frames = [{ game }];
    this.#show(0);
  }

  get #player() {
    return $("#strategy").selectedOptions[0].text;
  }

  async #movesOf(strategy, id) {
    if (STRATEGIES.includes(strategy)) return null;
    if (strategy === PLAN) return askMore("plan", id);
    return (await post("/api/watch", { strategy, token: await ask("puzzle", id) })).moves;
  }

  #request() {
    const seed = $("#seed").value ? { seed: $("#seed").valueAsNumber } : {};
    const preset = this.presets.find(({ name }) => name === $("#preset").value);
    const grid = $("#grid").value;
    return { ...sizeToJSON(preset), ...(grid && { grid }), ...seed };
  }

  /** Show the next frame; after the last one, request the next move. */
  async step() {
    if (this.#asking || this.isOver) return;
    if (this.#at + 1 < this.#frames.length) {
      this.#show(this.#at + 1);
      return;
    }
    this.#asking = true;
    const { game } = this;
    try {
      const given = this.#moves?.shift();
      const answer = await orShowError(async () =>
        given?.name
          ? { game: await ask("move", game.id, given.name, given.cell), click: given }
          : ask("step", game.id, $("#strategy").value, given),
      );
      if (!answer) this.#run(false);
      if (!answer || answer.game.id !== this.game.id) return;
      if (answer.move?.reason === "guess") this.#frames.push({ game, answer, isChoice: true });
      this.#frames.push({ game: answer.game, answer });
      this.#show(this.#at + 1);
    } finally {
      this.#asking = false;
    }
  }

  back() {
    this.#run(false);
    if (this.#at > 0) this.#show(this.#at - 1);
  }

  /** The game at the last frame. */
  get game() {
    return this.#frames.at(-1)?.game;
  }

  get isOver() {
    const { game } = this.#frames[this.#at];
    return game.status === "won" || game.status === "lost";
  }

  #show(at) {
    this.#at = at;
    const { game, answer, isChoice } = this.#frames[at];
    this.board.show(codesOf(game, this.board.grid));
    this.board.showEnd(game.status);
    const left = game.mines - game.flags.length;
    $("#mines-left").textContent = left;
    $("#mines-left-box").setAttribute("aria-label", t("{count} mines not found yet", { count: left }));
    $("#back").disabled = at === 0;
    $("#step").disabled = $("#run").disabled = this.isOver;
    this.board.mark();
    this.board.chances();
    if (!answer) showMessage(t("{player} is ready to play: press Step or Run.", { player: this.#player }));
    else if (answer.click) this.#showClick(answer);
    else if (isChoice) this.#showChoice(answer);
    else this.#showMove(answer.move);
    if (this.isOver) this.#end(game);
  }

  /** Show the options of a guess before its result. */
  #showChoice({ move }) {
    const [cell] = move.cells;
    this.board.mark({ asked: move.cells });
    this.board.reveal(cell);
    this.board.chances(uncertain(move.chances), cell);
    showRatings((move.ratings ?? []).slice(0, RATINGS), cell);
    const chance = move.chances?.[cell[0]][cell[1]];
    const least = Math.min(...uncertain(move.chances).values());
    const values = { cell: placeName(cell), share: chance == null ? "" : percent(chance), least: percent(least) };
    const why =
      chance <= least
        ? t("No cell is less likely to be a mine.")
        : t("Others are safer, down to {least}, but this one promises more for the rest of the game.", values);
    const words =
      chance == null
        ? [t("Nothing is certain. It will guess {cell}.", values)]
        : [t("Nothing is certain. It will guess {cell}, a mine in {share} of all layouts.", values), why];
    showMessage(words, { tone: "guess", silent: this.runs });
  }

  #showClick({ game, click: { name, cell: index } }) {
    const pair = this.board.grid.pair(index);
    this.board.mark({ fresh: game.changed, why: [pair] });
    this.board.reveal(pair);
    const cell = placeName(pair);
    const what = {
      open: t("A left click on {cell}", { cell }),
      flag: t("A flag on {cell}", { cell }),
      chord: t("A chord on {cell}", { cell }),
    };
    const count = this.#frames.length - 1 + this.#moves.length;
    showMessage(`${game.clicks}/${count}: ${what[name]}.`, { silent: this.runs });
  }

  #showMove(move) {
    const { board } = this;
    const isGuess = move.reason === "guess";
    board.mark({ fresh: move.cells, "is-mine": move.mines, why: move.clues });
    if (move.cells.length) board.reveal(move.cells[0]);
    const opened =
      move.cells.length === 1
        ? placeName(move.cells[0])
        : t("{count} {count:cell|cells}", { count: move.cells.length });
    const found = move.mines.length ? `, ${t("finds {count} {count:mine|mines}", { count: move.mines.length })}` : "";
    showMessage([`${translated(move.reason)}: ${t("opens {cells}", { cells: opened })}${found}.`, move.words], {
      tone: isGuess ? "guess" : "",
      silent: this.runs,
    });
  }

  #end(game) {
    this.#run(false);
    const won = game.status === "won";
    showMessage(won ? t("It won.") : t("It lost: a guess hit a mine."), { tone: won ? "won" : "lost" });
  }

  #run(runs) {
    press("run", runs, [t("Run"), t("Pause")]);
    clearTimeout(this.#timer);
    if (!runs) return;
    const next = async () => {
      await this.step();
      if (this.runs && !this.isOver) this.#run(true);
    };
    this.#timer = setTimeout(next, 1000 / $("#speed").valueAsNumber);
  }
}

/** Watch a random board, or the plan of the board of a game of this browser. */
export async function start(id) {
  const watch = new Watch(await options());
  if (id) $("#strategy").value = PLAN;
  await orShowError(() => watch.begin(id ? { game: id } : undefined));
}
