/** The Play page: ties the board, the server's game, the clock, the help and the dialog together. */

import { get, post } from "./api.js";
import { Autoplay } from "./autoplay.js";
import { Board } from "./board.js";
import { Clock, exactText } from "./clock.js";
import { $ } from "./dom.js";
import { hideEnding, showEnding } from "./ending.js";
import { percent } from "./statistics.js";
import { GameClient } from "./gameclient.js";
import { Help } from "./help.js";
import { listenToKeyboard } from "./keyboard.js";
import { NewGame } from "./newgame.js";
import { NEEDED, isOffline } from "./offline.js";
import { listenToPointer } from "./pointer.js";
import { bindSettings, loadSettings } from "./settings.js";
import { add, orTell, tell } from "./messages.js";
import { Zoom } from "./zoom.js";

const LAST_GAME = "sweep-game";
const LAST_OFFLINE = "sweep-offline-game";
const SHARED = "sweep-shared";
const LAST_REQUEST = "sweep-request";
const HELP = ["hint", "next", "cheat", "play-on", "may-guess", "check-flags", "chances"];

/** How many guesses Kaboom granted, and how lucky they would have been if its mines lay still. */
function guessesInWords({ guesses }) {
  if (!guesses?.count) return "";
  const luck = guesses.luck === null ? "" : ` If mines lay still, all would have been survived with ${percent(guesses.luck)}.`;
  return `${guesses.count} guess${guesses.count === 1 ? "" : "es"} granted so far.${luck}`;
}

/** Kaboom's options as the end of its share link, which the address holds. */
function kaboomToken({ rows, cols, mines, rules }) {
  const switches = [rules.opening_start, rules.guess_anywhere, rules.outside_counts].map(Number).join("");
  return `kaboom-${rows}x${cols}-${mines}-${switches}-${rules.mode}`;
}

class Play {
  constructor(options) {
    this.settings = loadSettings();
    this.flagMode = false;
    this.stop = [];
    this.clock = new Clock((text) => {
      $("#clock").textContent = text;
      $("#clock-box").setAttribute("aria-label", `Time ${text}`);
    });
    this.zoom = new Zoom($(".board-scroll"));
    this.autoplay = new Autoplay(() => this.link);
    this.first = { mode: options.offline ? "classic" : "no-guess", preset: options.presets[0].name };
    this.dialog = new NewGame(options, (request) => this.begin(request));
    bindSettings(this.settings, () => this.link?.recount());
    this.#bindButtons();
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Begin a game that the server deals; throws ApiError if it is refused. */
  async begin(request) {
    $("#board").setAttribute("aria-busy", "true");
    try {
      const game = await post("/api/games", request);
      // The same board once more is not a kind of game.
      if (request.mode !== "again") for (const kept of [sessionStorage, localStorage]) kept.setItem(LAST_REQUEST, JSON.stringify(request));
      const token = game.rules && kaboomToken(game);
      if (token) sessionStorage.setItem(SHARED, token);
      history.replaceState(null, "", token ? `/share/${token}` : "/");
      this.show(game);
    } finally {
      $("#board").setAttribute("aria-busy", "false");
    }
  }

  /** Show a game from its start, or where it stood. */
  show(game) {
    sessionStorage.setItem(isOffline(game.id) ? LAST_OFFLINE : LAST_GAME, game.id);
    hideEnding();
    this.autoplay.play(false);
    for (const stop of this.stop) stop();
    const label = `Minesweeper, ${game.rows} rows, ${game.cols} columns, ${game.mines} mines`;
    const focused = $("#board").contains(document.activeElement);
    this.board = new Board($("#board"), { rows: game.rows, cols: game.cols, label });
    this.zoom.show(this.board);
    const act = (name, index) => this.act(name, index);
    const touch = () => ({ ...this.settings, flagMode: this.flagMode });
    this.stop = [listenToPointer(this.board, touch, act), listenToKeyboard(this.board, act)];
    this.link = new GameClient(this.board, game, this.settings, (now, before) => this.#changed(now, before));
    this.help = new Help(this.link);
    this.help.showsChances = $("#chances").getAttribute("aria-pressed") === "true";
    this.help.showsVerdicts = $("#verdicts").getAttribute("aria-pressed") === "true";
    this.help.refreshChances();
    this.help.refreshVerdicts();
    $("#title").textContent = game.title;
    const begun = game.status === "ready" ? "Open any cell: the first click is safe." : "The first click is open. The rest is yours.";
    tell([game.title, begun]);
    this.board.moveTo(Math.floor(game.rows / 2) * game.cols + Math.floor(game.cols / 2), focused);
    // A board wider than the window begins where most games do: in its middle.
    const box = this.board.root.parentElement;
    box.scrollTo((box.scrollWidth - box.clientWidth) / 2, (box.scrollHeight - box.clientHeight) / 2);
  }

  /** Whether a game would be lost that the player has begun. */
  get isRunning() {
    return this.link?.game.status === "playing" && this.link.game.turn > 0;
  }

  /** Do a move of the player. */
  async act(name, index) {
    if (this.link.isOver) return;
    this.autoplay.play(false);
    this.help.clear();
    if (name === "flag") await Promise.all(this.#toFlag(index).map((cell) => this.#flag(cell)));
    else await this.#move(name, index);
  }

  async #move(name, index) {
    await orTell(() => this.link.move(name, index).catch((error) => {
      // Clicks that were under way when the game ended are of no use.
      if (error.code !== "conflict" || !this.link.isOver) throw error;
    }));
  }

  /** The cells to flag for a flag on a cell: itself, or what is left around a clue that needs all of it. */
  #toFlag(index) {
    const { board } = this;
    if (board.codes[index] < "0" || board.codes[index] > "8") return [index];
    const hidden = board.around(index).filter((near) => "#F?".includes(board.codes[near]));
    if (!this.settings.flagRest || hidden.length !== Number(board.codes[index])) return [];
    return hidden.filter((near) => board.codes[near] !== "F");
  }

  /** Flag a cell, or what comes after: with question marks it goes from flag to question mark to nothing. */
  async #flag(index) {
    const code = this.board.codes[index];
    if (code === "?") this.link.question(index, false);
    if (code === "?" && this.settings.questions) return;
    if (code === "F" && this.settings.questions) this.link.question(index, true);
    await this.#move("flag", index);
  }

  #changed(game, before) {
    const left = game.mines - game.flags.length;
    $("#mines-left").textContent = left;
    $("#mines-left-box").setAttribute("aria-label", `${left} mines left to flag`);
    this.clock.set(game.seconds, game.ticking);
    const lost = game.status === "lost";
    const over = lost || game.status === "won";
    const isAlone = isOffline(game.id);
    $("#undo").disabled = !game.can_undo;
    for (const id of HELP) $(`#${id}`).disabled = over;
    $("#reveal").disabled = game.mine_map !== null;
    // After a loss some take the places of others, so that no button moves; what needs the server is not there without it.
    for (const id of [...HELP, "undo", "share", "analyse"]) $(`#${id}`).hidden = isAlone;
    if (!isAlone) $("#may-guess").hidden = $("#check-flags").hidden = lost;
    $("#explain").hidden = $("#reveal").hidden = !lost || isAlone;
    $("#verdicts").hidden = game.mode !== "kaboom";
    $("#verdicts").disabled = over;
    $("#same").disabled = game.status === "ready";
    if (!before) return;
    if (over && before.status !== game.status) this.#end(game);
    else if (!over) this.#speakOf(game);
    if (this.help?.showsChances && !this.link.isBusy) this.help.refreshChances();
    if (this.help?.showsVerdicts && !this.link.isBusy) this.help.refreshVerdicts();
  }

  #speakOf(game) {
    const opened = game.changed.length;
    if (game.verdict?.words) tell([game.verdict.words, guessesInWords(game)]);
    else if (opened === 1) tell(this.board.spoken(game.changed[0][0] * game.cols + game.changed[0][1]));
    else if (opened > 1) tell(`${opened} cells opened.`);
  }

  #end(game) {
    orTell(() => showEnding(this.board, game, this.settings));
    if (game.status === "won") {
      const helped = game.helped ? " With help." : "";
      tell([`Cleared in ${exactText(game.seconds)}.${helped}`, game.verdict?.words, guessesInWords(game)], { tone: "won" });
      return;
    }
    tell([game.verdict?.words ?? "That was a mine."], { tone: "lost" });
    if (!isOffline(game.id)) this.help.explain(game.verdict?.words);
  }

  async #undo() {
    if ($("#undo").disabled) return;
    this.autoplay.play(false);
    this.help.clear();
    hideEnding();
    if (await orTell(() => this.link.ask("undo"))) tell(["The last click is undone.", this.link.game.can_undo ? "Those before it can be, too." : ""]);
  }

  #closeEnding() {
    hideEnding();
    this.board.moveTo(this.board.current);
  }

  /** A lost game has to be given up before all of it is told. */
  async #review(event) {
    if (!event.target.dataset.gives) return;
    event.preventDefault();
    if (await orTell(() => this.link.ask("reveal"))) location.assign(event.target.href);
  }

  async #reveal() {
    hideEnding();
    if (await orTell(() => this.link.ask("reveal"))) tell("These were the mines.", { tone: "lost" });
  }

  #again() {
    // Each tab goes on with its own kind of game, a new one with that of the last.
    const kept = JSON.parse(sessionStorage.getItem(LAST_REQUEST) ?? localStorage.getItem(LAST_REQUEST));
    return this.#leaveFor(kept === null || (isOffline(this.link.game.id) && kept.mode !== this.first.mode) ? this.first : kept);
  }

  /** Deal another board; a game that runs is asked about first. */
  #leaveFor(request) {
    const deal = () => orTell(() => this.begin(request));
    if (!this.isRunning) return deal();
    $("#leave").returnValue = "";
    $("#leave").showModal();
    $("#leave").onclose = () => $("#leave").returnValue === "leave" && deal();
    return undefined;
  }

  #toggle(button) {
    const pressed = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", pressed);
    return pressed;
  }

  #bindButtons() {
    // Until a board is there, there is nothing to help with.
    const on = (id, action) => $(`#${id}`).addEventListener("click", (event) => this.link && action(event));
    $("#new").addEventListener("click", () => this.dialog.open(this.isRunning));
    on("again", () => this.#again());
    on("undo", () => this.#undo());
    on("reveal", () => this.#reveal());
    on("hint", () => this.help.hint());
    on("cheat", () => this.help.cheat());
    on("next", () => this.autoplay.next());
    on("play-on", () => this.autoplay.play(!this.autoplay.plays));
    for (const id of ["same", "ending-same"]) on(id, () => this.#leaveFor({ mode: "again", game: this.link.game.id }));
    on("may-guess", () => this.help.mayGuess());
    on("check-flags", () => this.help.checkFlags());
    on("explain", () => this.help.explain(this.link.game.verdict?.words));
    on("verdicts", (event) => this.help.showVerdicts(this.#toggle(event.currentTarget)));
    on("chances", (event) => this.help.showChances(this.#toggle(event.currentTarget)));
    on("flag-mode", (event) => { this.flagMode = this.#toggle(event.currentTarget); });
    on("share", () => this.help.share());
    on("analyse", () => this.help.analyse());
    on("ending-close", () => this.#closeEnding());
    on("ending-next", () => this.#again());
    on("ending-review", (event) => this.#review(event));
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.link || $("dialog[open]")) return;
    if (event.target instanceof Element && event.target.closest("input, select, textarea")) return;
    const actions = { u: () => this.#undo(), h: () => $("#hint").disabled || this.help.hint(), n: () => this.#again() };
    const action = actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

/** Start the page; `token` is that of a share link, or null. */
export async function start(token) {
  const options = await orTell(() => get("/api/options"));
  if (!options) return;
  const page = new Play(options);
  await goOn(page, options, token);
  if (options.offline) add(NEEDED);
}

/** Show the last game of this tab, or the one of the link, or a new one. */
async function goOn(page, options, token) {
  const last = sessionStorage.getItem(options.offline ? LAST_OFFLINE : LAST_GAME);
  const isDealt = options.offline || !token || sessionStorage.getItem(SHARED) === token;
  if (last && isDealt) {
    const game = await get(`/api/games/${encodeURIComponent(last)}`).catch((error) => {
      if (error.code !== "not_found") throw error;
      return null;
    });
    if (game) {
      page.show(game);
      return;
    }
  }
  let refusal = null;
  if (token) {
    try {
      const game = await post("/api/games", { mode: "shared", token });
      sessionStorage.setItem(SHARED, token);
      page.show(game);
      return;
    } catch (error) {
      if (!("code" in error)) throw error;
      refusal = error.message;
    }
  }
  await orTell(() => page.begin(page.first));
  if (refusal) tell([refusal, "Here is another game instead."], { tone: "error" });
}
