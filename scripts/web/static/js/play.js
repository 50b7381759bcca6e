/** The Play page: it connects the board, the game client, the clock, the help and the dialog. */

import { options } from "./api.js";
import { Autoplay } from "./autoplay.js";
import { Board } from "./board.js";
import { Clock } from "./clock.js";
import { isClue } from "./codes.js";
import { nextRequest } from "./core/games.js";
import { kaboomToken } from "./core/puzzles.js";
import { gridOf, sizeFromJSON } from "./core/sizes.js";
import { $, isPressed, makeButton, onClick, onKeys, press } from "./dom.js";
import { hideEnding, showEnding } from "./ending.js";
import { clockText, exactText } from "./format.js";
import { GameClient } from "./gameclient.js";
import { ask } from "./engine.js";
import { Help } from "./help.js";
import { guessesInWords, scoreInWords, verdictOf } from "./kaboom.js";
import { listenToKeyboard } from "./keyboard.js";
import { NewGame } from "./newgame.js";
import { addressOfPage } from "./place.js";
import { listenToPointer } from "./pointer.js";
import { bindSettings } from "./settings.js";
import { cancellable, newGame, requestOf } from "./starting.js";
import { StartRow } from "./startrow.js";
import { appendMessage, orShowError, showMessage } from "./messages.js";
import { openBbbv } from "./statistics.js";
import { GAME, LAST_GAME, browser, tab } from "./storage.js";
import { sendGames } from "./sync.js";
import { decimal, t, translated, translatedTitle } from "./words.js";
import { Zoom } from "./zoom.js";

const SHARED = "sweep-shared";
const LAST_REQUEST = "sweep-request";
const FLAG_MODE = "sweep-flag-mode";
const HELP = ["hint", "next", "cheat", "play-on", "may-guess", "check-flags", "chances"];

const append = ({ message }) => appendMessage(message);

/** The question about a position; the title of its game ends with the kind of step. */
const practiceQuestion = ({ title }) =>
  title.endsWith("guess")
    ? t("No cell is certainly safe. Which one is the best guess?")
    : t("Which cell is certainly safe?");

/** Judge the answer of a player, and offer the next position. Throws `Fault`. */
async function answerPractice(client, index, next) {
  if (!"#?".includes(client.board.codes[index])) return;
  const { isRight, words, marks } = await ask("practise", client.game.id, index);
  client.board.mark({ ...marks, asked: [index] });
  const more = makeButton(t("Next position"), next, { class: "primary next" });
  showMessage([isRight ? t("Right.") : t("No."), ...words], { tone: isRight ? "won" : "lost" });
  // First, because phones show only the beginning of a message.
  $("#words").prepend(more);
}

class Play {
  constructor(offered) {
    this.keeps = offered.keeps;
    this.settings = bindSettings(() => this.client?.recount());
    this.isWarned = false;
    this.flagMode = tab.read(FLAG_MODE, false);
    press("flag-mode", this.flagMode);
    this.listening = new AbortController();
    this.clock = new Clock((seconds) => this.#showTime(seconds));
    this.zoom = new Zoom($(".board-scroll"));
    this.autoplay = new Autoplay(() => this.client);
    this.first = { mode: "no-guess", ...requestOf(offered.presets[0]) };
    this.dialog = new NewGame(offered, (request, search) => this.begin(request, search));
    this.row = new StartRow(
      () => this.next,
      (request) => orShowError(() => (request.resume ? this.resume(request.resume) : this.begin(request))),
    );
    this.#bindButtons();
    this.#bindKeys();
    addEventListener("pagehide", () => this.#rest());
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#rest() : this.#goOn()));
  }

  /** Stop the clock while nobody sees the board. The page may be closing, so its storage keeps the time at once. */
  #rest() {
    if (!this.clock.runs) return;
    const { seconds } = this.clock;
    this.clock.set(seconds, false);
    const key = GAME + this.client.game.id;
    const log = browser.read(key);
    if (log) browser.write(key, { ...log, seconds });
  }

  /** Hide the board, so that the clock stands, or go on. */
  #pause(isPaused) {
    if (isPaused === isPressed("pause")) return;
    press("pause", isPaused);
    $(".board-scroll").classList.toggle("paused", isPaused);
    if (!isPaused) {
      this.#goOn();
      return;
    }
    this.#rest();
    this.autoplay.play(false);
    showMessage(t("Paused: the clock stands. Click here to go on."));
  }

  #goOn() {
    if (this.client?.game.ticking && !isPressed("pause"))
      orShowError(() => this.client.request("wake", this.clock.seconds));
  }

  /** Show the clock and, if the settings ask for it, the speed and efficiency so far. */
  #showTime(seconds) {
    const text = clockText(seconds);
    $("#clock").textContent = text;
    $("#clock-box").setAttribute("aria-label", t("Time {time}", { time: text }));
    $("#live").hidden = !this.settings.live;
    if (!this.settings.live || !this.board) return;
    const [solved, clicks] = [openBbbv(this.board.codes, this.board.grid), this.client?.game.clicks];
    $("#live").textContent =
      `${decimal(seconds > 0 ? solved / seconds : 0, 2)} ${t("3BV/s")}${clicks ? `, ${t("{number} a click", { number: decimal(solved / clicks, 2) })}` : ""}`;
  }

  /**
   * Start a new game. Throws `Fault`.
   *
   * @param {Record<string, any>} request
   * @param {{ signal?: AbortSignal, report?: (seconds: number) => void }} [search]
   */
  async begin(request, search = cancellable()) {
    $("#board").setAttribute("aria-busy", "true");
    try {
      const game = await newGame(request, search);
      // "Next game" repeats the last kind of game, which "the same board" does not change.
      if (request.mode !== "again") for (const kept of [tab, browser]) kept.write(LAST_REQUEST, request);
      const token = game.rules && kaboomToken({ ...sizeFromJSON(game), rules: game.rules });
      if (token) tab.write(SHARED, token);
      history.replaceState(null, "", token ? addressOfPage("share", token) : addressOfPage(""));
      this.show(game);
    } finally {
      $("#board").setAttribute("aria-busy", "false");
    }
  }

  /** Show an unfinished game. Throws `Fault`. */
  async resume(id) {
    this.show(await ask("game", id));
    history.replaceState(null, "", addressOfPage(""));
  }

  show(game) {
    this.#rest();
    press("pause", false);
    $(".board-scroll").classList.remove("paused");
    orShowError(() => this.row.show(game));
    for (const kept of [tab, browser]) kept.write(LAST_GAME, game.id);
    hideEnding();
    this.autoplay.play(false);
    this.listening.abort();
    this.listening = new AbortController();
    const label = t("Minesweeper, {rows} rows, {cols} columns, {mines} mines", game);
    const focused = $("#board").contains(document.activeElement);
    this.board = this.zoom.show(new Board($("#board"), gridOf(game), label));
    const act = (name, index) => this.act(name, index);
    const touch = () => ({ ...this.settings, flagMode: this.flagMode });
    listenToPointer(this.board, touch, act, this.listening.signal);
    listenToKeyboard(this.board, act, this.listening.signal, { root: document });
    this.client = new GameClient(this.board, game, this.settings, (now, before) => this.#changed(now, before));
    this.help = new Help(this.client);
    for (const id of ["chances", "verdicts"]) press(id, false);
    const title = translatedTitle(game.title);
    $("#title").textContent = title;
    const begun =
      game.mode === "practice"
        ? practiceQuestion(game)
        : game.status === "ready"
          ? t("Open any cell: the first click is safe.")
          : game.status === "playing"
            ? t("The first click is open: go on from there.")
            : t("This game is {status}.", { status: translated(game.status) });
    showMessage([title, begun]);
    this.#warnOnce();
    this.board.moveTo(this.board.grid.middle, focused);
    // A board larger than the window is scrolled to its middle.
    const box = this.board.root.parentElement;
    box.scrollTo((box.scrollWidth - box.clientWidth) / 2, (box.scrollHeight - box.clientHeight) / 2);
  }

  /** Say once that the browser stores no more games. */
  #warnOnce() {
    if (!browser.isFull || this.isWarned) return;
    this.isWarned = true;
    appendMessage(t("The storage of this browser is full or blocked: games are kept only until the page closes."));
  }

  /** The request for another game of the last kind. Each tab has its own kind, a new tab that of the last one. */
  get next() {
    return nextRequest(tab.read(LAST_REQUEST) ?? browser.read(LAST_REQUEST) ?? this.first);
  }

  async act(name, index) {
    if (isPressed("pause")) this.#pause(false);
    else await this.#act(name, index);
  }

  async #act(name, index) {
    if (this.client.isOver) return;
    if (this.client.game.mode === "practice" && name !== "flag") {
      if (name === "open") await orShowError(() => answerPractice(this.client, index, () => this.#again()));
      return;
    }
    this.autoplay.play(false);
    this.help.clear();
    if (name === "flag") await Promise.all(this.#toFlag(index).map((cell) => this.#flag(cell)));
    else await this.#move(name, index);
  }

  async #move(name, index) {
    await orShowError(() =>
      this.client.move(name, index).catch((error) => {
        // Ignore clicks that reach the engine after the end of the game.
        if (error.code !== "conflict" || !this.client.isOver) throw error;
      }),
    );
  }

  /** The cells to flag: the cell, or all hidden cells around a clue that equals their number. */
  #toFlag(index) {
    const { board } = this;
    if (!isClue(board.codes[index])) return [index];
    const hidden = board.grid.around(index).filter((near) => "#F?".includes(board.codes[near]));
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
    this.clock.set(game.seconds, game.ticking && !document.hidden && !isPressed("pause"));
    $("#pause").disabled = !game.ticking;
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
    this.#warnOnce();
    this.help.refresh();
  }

  #announce(game) {
    const opened = game.changed.length;
    if (verdictOf(game)) showMessage([verdictOf(game), guessesInWords(game)]);
    else if (opened === 1) showMessage(this.board.spoken(this.board.grid.index(game.changed[0])));
    else if (opened > 1) showMessage(t("{count} {count:cell|cells} opened.", { count: opened }));
  }

  #end(game) {
    this.row.end(game);
    orShowError(async () => {
      await showEnding(this.board, game, this.settings);
      if (this.keeps) await orShowError(sendGames, append);
    });
    const verdict = verdictOf(game);
    if (game.status === "won") {
      showMessage(
        [
          game.helped ? t("Cleared with help.") : t("Cleared in {time}.", { time: exactText(game.seconds) }),
          verdict,
          guessesInWords(game),
          scoreInWords(game),
        ],
        { tone: "won" },
      );
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
    if (await orShowError(() => this.client.request("undo")))
      showMessage([t("The last click is undone."), this.client.game.can_undo ? t("You can undo more.") : ""]);
  }

  #closeEnding() {
    hideEnding();
    this.board.moveTo(this.board.current);
  }

  #again() {
    return orShowError(() => this.begin(this.next));
  }

  #toggle(id) {
    press(id, !isPressed(id));
    return isPressed(id);
  }

  #bindButtons() {
    // The buttons work as soon as there is a game.
    const on = (id, action) =>
      onClick(id, () => {
        if (id !== "pause") this.#pause(false);
        return this.client && action();
      });
    onClick("new", () => this.dialog.open());
    on("again", () => this.#again());
    on("undo", () => this.#undo());
    on("hint", () => this.help.hint());
    on("cheat", () => this.help.cheat());
    on("next", () => this.autoplay.next());
    on("play-on", () => this.autoplay.play(!this.autoplay.plays));
    for (const id of ["same", "ending-same"])
      on(id, () => orShowError(() => this.begin({ mode: "again", game: this.client.game.id })));
    on("may-guess", () => this.help.mayGuess());
    on("check-flags", () => this.help.checkFlags());
    on("explain", () => this.help.explain(verdictOf(this.client.game)));
    on("verdicts", () => this.help.showVerdicts(this.#toggle("verdicts")));
    on("chances", () => this.help.showChances(this.#toggle("chances")));
    on("flag-mode", () => {
      this.flagMode = this.#toggle("flag-mode");
      tab.write(FLAG_MODE, this.flagMode);
    });
    on("pause", () => this.#pause(!isPressed("pause")));
    for (const id of [".board-scroll", "#words"]) $(id).addEventListener("click", () => this.#pause(false));
    on("share", () => this.help.share());
    on("ending-share", () => this.help.shareResult());
    on("analyse", () => this.help.analyse());
    // On a phone the drawer lies over the board.
    $("#assistant").addEventListener(
      "click",
      ({ target }) =>
        target.closest(".actions button") &&
        getComputedStyle($("#assistant")).position === "absolute" &&
        $("#assistant").removeAttribute("open"),
    );
    on("ending-close", () => this.#closeEnding());
    on("ending-next", () => this.#again());
  }

  #bindKeys() {
    const hasGame = () => this.client && !$("dialog[open]");
    const on = (action) => () => {
      if (!hasGame()) return;
      this.#pause(false);
      action();
    };
    const pause = () => hasGame() && !$("#pause").disabled && this.#pause(!isPressed("pause"));
    const hint = () => $("#hint").disabled || this.help.hint();
    onKeys({ u: on(() => this.#undo()), h: on(hint), n: on(() => this.#again()), p: pause }, "input, select, textarea");
  }
}

/** Start the page; `token` is that of a share link, or null. */
export async function start(token) {
  const offered = await options();
  const page = new Play(offered);
  await showFirst(page, token);
  if (offered.keeps) await orShowError(sendGames, append);
}

/** Show the last game of this tab, the game of the link, the unfinished game of the last visit, or a new one. */
async function showFirst(page, token) {
  const show = async (id, isWanted) => {
    const game = id && (await ask("game", id).catch(() => null));
    if (game && isWanted(game)) page.show(game);
    return Boolean(game && isWanted(game));
  };
  const isCurrent = !token || tab.read(SHARED) === token;
  if (isCurrent && (await show(tab.read(LAST_GAME), () => true))) return;
  if (!token && (await show(browser.read(LAST_GAME), ({ status }) => status === "playing"))) return;
  let reason = "";
  const begin = async () => {
    if (!token) return page.begin(page.next);
    const shared = await newGame({ mode: "shared", token });
    tab.write(SHARED, token);
    return page.show(shared);
  };
  await orShowError(begin, ({ message }) => {
    reason = message;
  });
  if (!reason) return;
  await orShowError(() => page.begin(token ? page.next : page.first));
  if (page.client) showMessage([reason, t("Here is another game instead.")], { tone: "error" });
}
