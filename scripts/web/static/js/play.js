/** The Play page: it connects the board, the game client, the clock, the help and the dialog. */

import { UNREACHABLE, get, post } from "./api.js";
import { Autoplay } from "./autoplay.js";
import { Board } from "./board.js";
import { $ } from "./dom.js";
import { hideEnding, showEnding } from "./ending.js";
import { clockText, exactText, percent } from "./format.js";
import { GameClient } from "./gameclient.js";
import { Help } from "./help.js";
import { listenToKeyboard } from "./keyboard.js";
import { NewGame } from "./newgame.js";
import { addressOfPage, isLocal, isLocalGame } from "./place.js";
import { listenToPointer } from "./pointer.js";
import { kaboomToken } from "./position.js";
import { bindSettings } from "./settings.js";
import { appendMessage, orShowError, showMessage } from "./messages.js";
import { openBbbv } from "./statistics.js";
import { VERDICTS } from "./wording.js";
import { decimal, t, translatedTitle } from "./words.js";
import { Zoom } from "./zoom.js";

const LAST_GAME = "sweep-game";
const LAST_LOCAL = "sweep-local-game";
const SHARED = "sweep-shared";
const LAST_REQUEST = "sweep-request";
const WELCOMED = "sweep-welcomed";
const HELP = ["hint", "next", "cheat", "play-on", "may-guess", "check-flags", "chances"];

/** The number of guesses that Kaboom granted, and the chance that all had survived on a fixed board. */
function guessesInWords({ guesses }) {
  if (!guesses?.count) return "";
  const luck = guesses.luck === null ? "" : ` ${t("On a fixed board, the chance to survive them all was {chance}.", { chance: percent(guesses.luck) })}`;
  return t("{count} {count:guess|guesses} granted so far.", guesses) + luck;
}

/** The verdict of Kaboom on the last click in words; undefined if there is none. */
const verdictOf = ({ verdict }) => verdict && VERDICTS[verdict.why];

/** A clock that counts on between two responses; the server keeps the time. */
class Clock {
  #base = 0;
  #since = 0;
  #timer = 0;

  constructor(show) {
    this.show = show;
  }

  /** Set the server's time, and count on if the game is running. */
  set(seconds, runs) {
    this.#base = seconds;
    this.#since = performance.now();
    clearInterval(this.#timer);
    if (runs) this.#timer = setInterval(() => this.#tick(), 250);
    this.show(seconds);
  }

  #tick() {
    this.show(this.#base + (performance.now() - this.#since) / 1000);
  }
}

class Play {
  constructor(options) {
    this.settings = bindSettings(() => this.client?.recount());
    this.flagMode = false;
    this.listening = new AbortController();
    this.clock = new Clock((seconds) => this.#showTime(seconds));
    this.zoom = new Zoom($(".board-scroll"));
    this.autoplay = new Autoplay(() => this.client);
    this.first = { mode: "no-guess", preset: options.presets[0].name };
    this.dialog = new NewGame(options, (request) => this.begin(request));
    this.#bindButtons();
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Show the clock and, if the settings ask for it, the speed and efficiency so far. */
  #showTime(seconds) {
    const text = clockText(seconds);
    $("#clock").textContent = text;
    $("#clock-box").setAttribute("aria-label", t("Time {time}", { time: text }));
    $("#live").hidden = !this.settings.live;
    if (!this.settings.live || !this.board) return;
    const [solved, clicks] = [openBbbv(this.board), this.client?.game.clicks];
    $("#live").textContent = `${decimal(seconds > 0 ? solved / seconds : 0, 2)} ${t("3BV/s")}${clicks ? `, ${t("{number} a click", { number: decimal(solved / clicks, 2) })}` : ""}`;
  }

  /** Start a new game. Throws ApiError. */
  async begin(request) {
    $("#board").setAttribute("aria-busy", "true");
    try {
      const game = await post("/api/games", request);
      // "Again" repeats the last kind of game, which "the same board" does not change.
      if (request.mode !== "again") for (const kept of [sessionStorage, localStorage]) kept.setItem(LAST_REQUEST, JSON.stringify(request));
      const token = game.rules && kaboomToken(game);
      if (token) sessionStorage.setItem(SHARED, token);
      history.replaceState(null, "", token ? addressOfPage("share", token) : addressOfPage(""));
      this.show(game);
    } finally {
      $("#board").setAttribute("aria-busy", "false");
    }
  }

  /** Show a game. */
  show(game) {
    sessionStorage.setItem(isLocalGame(game.id) ? LAST_LOCAL : LAST_GAME, game.id);
    hideEnding();
    this.autoplay.play(false);
    this.listening.abort();
    this.listening = new AbortController();
    const label = t("Minesweeper, {rows} rows, {cols} columns, {mines} mines", game);
    const focused = $("#board").contains(document.activeElement);
    this.board = new Board($("#board"), { rows: game.rows, cols: game.cols, label });
    this.zoom.show(this.board);
    const act = (name, index) => this.act(name, index);
    const touch = () => ({ ...this.settings, flagMode: this.flagMode });
    listenToPointer(this.board, touch, act, this.listening.signal);
    listenToKeyboard(this.board, act, this.listening.signal, document);
    this.client = new GameClient(this.board, game, this.settings, (now, before) => this.#changed(now, before));
    this.help = new Help(this.client);
    for (const id of ["chances", "verdicts"]) $(`#${id}`).setAttribute("aria-pressed", false);
    const title = translatedTitle(game.title);
    $("#title").textContent = title;
    const begun = game.status === "ready" ? t("Open any cell: the first click is safe.") : t("The first click is open: go on from there.");
    showMessage([title, begun]);
    this.board.moveTo(Math.floor(game.rows / 2) * game.cols + Math.floor(game.cols / 2), focused);
    // A board larger than the window is scrolled to its middle.
    const box = this.board.root.parentElement;
    box.scrollTo((box.scrollWidth - box.clientWidth) / 2, (box.scrollHeight - box.clientHeight) / 2);
  }

  /** Whether the player has moved in a game that is not over. */
  get isRunning() {
    return this.client?.game.status === "playing" && this.client.game.turn > 0;
  }

  /** Make a move of the player. */
  async act(name, index) {
    if (this.client.isOver) return;
    this.autoplay.play(false);
    this.help.clear();
    if (name === "flag") await Promise.all(this.#toFlag(index).map((cell) => this.#flag(cell)));
    else await this.#move(name, index);
  }

  async #move(name, index) {
    await orShowError(() => this.client.move(name, index).catch((error) => {
      // Ignore clicks that reach the server after the end of the game.
      if (error.code !== "conflict" || !this.client.isOver) throw error;
    }));
  }

  /** The cells to flag: the cell, or all hidden cells around a clue that equals their number. */
  #toFlag(index) {
    const { board } = this;
    if (board.codes[index] < "0" || board.codes[index] > "8") return [index];
    const hidden = board.around(index).filter((near) => "#F?".includes(board.codes[near]));
    if (!this.settings.flagRest || hidden.length !== Number(board.codes[index])) return [];
    return hidden.filter((near) => board.codes[near] !== "F");
  }

  /** Set or remove a flag; with question marks, cycle through flag, question mark and nothing. */
  async #flag(index) {
    const code = this.board.codes[index];
    if (code === "?") this.client.question(index, false);
    if (code === "?" && this.settings.questions) return;
    if (code === "F" && this.settings.questions) this.client.question(index, true);
    await this.#move("flag", index);
  }

  #changed(game, before) {
    const left = game.status === "won" ? 0 : game.mines - game.flags.length;
    $("#mines-left").textContent = left;
    $("#mines-left-box").setAttribute("aria-label", t("{count} mines left to flag", { count: left }));
    this.clock.set(game.seconds, game.ticking);
    const lost = game.status === "lost";
    const over = lost || game.status === "won";
    $("#undo").disabled = !game.can_undo;
    for (const id of HELP) $(`#${id}`).disabled = over;
    // Buttons replace each other after a loss, so that no other button moves.
    $("#may-guess").hidden = $("#check-flags").hidden = lost;
    $("#explain").hidden = !lost;
    $("#verdicts").hidden = game.mode !== "kaboom";
    $("#verdicts").disabled = over;
    $("#same").disabled = game.status === "ready";
    if (!before) return;
    if (over && before.status !== game.status) this.#end(game);
    if (this.client.isBusy) return;
    if (!over) this.#announce(game);
    this.help.refresh();
  }

  #announce(game) {
    const opened = game.changed.length;
    if (verdictOf(game)) showMessage([verdictOf(game), guessesInWords(game)]);
    else if (opened === 1) showMessage(this.board.spoken(this.board.at(game.changed[0])));
    else if (opened > 1) showMessage(t("{count} {count:cell|cells} opened.", { count: opened }));
  }

  #end(game) {
    orShowError(() => showEnding(this.board, game, this.settings));
    const verdict = verdictOf(game);
    if (game.status === "won") {
      showMessage([game.helped ? t("Cleared with help.") : t("Cleared in {time}.", { time: exactText(game.seconds) }), verdict, guessesInWords(game)], { tone: "won" });
      return;
    }
    showMessage([verdict ?? t("That was a mine.")], { tone: "lost" });
    orShowError(() => this.client.request("reveal"));
    this.help.explain(verdict);
  }

  async #undo() {
    if ($("#undo").disabled) return;
    this.autoplay.play(false);
    this.help.clear();
    hideEnding();
    if (await orShowError(() => this.client.request("undo"))) showMessage([t("The last click is undone."), this.client.game.can_undo ? t("You can undo more.") : ""]);
  }

  #closeEnding() {
    hideEnding();
    this.board.moveTo(this.board.current);
  }

  #again() {
    // Each tab repeats its own kind of game, a new tab that of the last one.
    const last = JSON.parse(sessionStorage.getItem(LAST_REQUEST) ?? localStorage.getItem(LAST_REQUEST));
    return this.#leaveFor(last ?? this.first);
  }

  /** Start another game; ask for confirmation if one is running. */
  #leaveFor(request) {
    const begin = () => orShowError(() => this.begin(request));
    if (!this.isRunning) return begin();
    $("#leave").returnValue = "";
    $("#leave").showModal();
    $("#leave").onclose = () => $("#leave").returnValue === "leave" && begin();
    return undefined;
  }

  #toggle(button) {
    const pressed = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", pressed);
    return pressed;
  }

  #bindButtons() {
    // The buttons work as soon as there is a game.
    const on = (id, action) => $(`#${id}`).addEventListener("click", (event) => this.client && action(event));
    $("#new").addEventListener("click", () => this.dialog.open(this.isRunning));
    on("again", () => this.#again());
    on("undo", () => this.#undo());
    on("hint", () => this.help.hint());
    on("cheat", () => this.help.cheat());
    on("next", () => this.autoplay.next());
    on("play-on", () => this.autoplay.play(!this.autoplay.plays));
    for (const id of ["same", "ending-same"]) on(id, () => this.#leaveFor({ mode: "again", game: this.client.game.id }));
    on("may-guess", () => this.help.mayGuess());
    on("check-flags", () => this.help.checkFlags());
    on("explain", () => this.help.explain(verdictOf(this.client.game)));
    on("verdicts", (event) => this.help.showVerdicts(this.#toggle(event.currentTarget)));
    on("chances", (event) => this.help.showChances(this.#toggle(event.currentTarget)));
    on("flag-mode", (event) => { this.flagMode = this.#toggle(event.currentTarget); });
    on("share", () => this.help.share());
    on("ending-share", () => this.help.shareResult());
    on("analyse", () => this.help.analyse());
    // On a phone the drawer lies over the board.
    $("#assistant").addEventListener("click", ({ target }) => target.closest(".actions button") && getComputedStyle($("#assistant")).position === "absolute" && $("#assistant").removeAttribute("open"));
    on("ending-close", () => this.#closeEnding());
    on("ending-next", () => this.#again());
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.client || $("dialog[open]")) return;
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
  const options = await orShowError(() => get("/api/options"));
  if (!options) return;
  const page = new Play(options);
  await showFirst(page, options, token);
  if (!localStorage.getItem(WELCOMED)) $("#help").showPopover();
  localStorage.setItem(WELCOMED, "1");
  if (options.offline) appendMessage(UNREACHABLE);
}

/** Show the last game of this tab, the game of the link, or a new one. */
async function showFirst(page, options, token) {
  const last = sessionStorage.getItem(isLocal || options.offline ? LAST_LOCAL : LAST_GAME);
  const isCurrent = !token || sessionStorage.getItem(SHARED) === token;
  if (last && isCurrent) {
    const game = await get(`/api/games/${encodeURIComponent(last)}`).catch((error) => {
      if (error.code !== "not_found") throw error;
      return null;
    });
    if (game) {
      page.show(game);
      return;
    }
  }
  let reason = null;
  const game = token && await orShowError(() => post("/api/games", { mode: "shared", token }), ({ message }) => { reason = message; });
  if (game) {
    sessionStorage.setItem(SHARED, token);
    page.show(game);
    return;
  }
  await orShowError(() => page.begin(page.first));
  if (reason) showMessage([reason, t("Here is another game instead.")], { tone: "error" });
}
