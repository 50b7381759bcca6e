/** The Analyse page: paste, drop or draw a position or a picture of one, and see all deductions step by step. */

import { options, post, postForFile, readPosition } from "./api.js";
import { Board } from "./board.js";
import { addressOf, isClue, positionOf, uncertain } from "./codes.js";
import { gridOf, sizeToJSON, unless } from "./core/sizes.js";
import { $, copyText, download, fillList, isWithin, make, makeButton, markHere, press } from "./dom.js";
import { gridName, sentence, sizeName } from "./format.js";
import { showLink } from "./help.js";
import { listenToKeyboard } from "./keyboard.js";
import { advise, ask } from "./engine.js";
import { appendMessage, legend, orShowError, showMessage, showRatings } from "./messages.js";
import { isPicture, readPicture } from "./picture.js";
import { addressOfPage, showPage } from "./place.js";
import { show as showReview } from "./review.js";
import { unavoidableProof } from "./proofs.js";
import { LAST_GAME, tab } from "./storage.js";
import { t, translated } from "./words.js";
import { Zoom } from "./zoom.js";

const EXAMPLE = "6x8/9\n########\n###113##\n#21102##\n#20001##\n#41211##\n########\n";
const CLUES = Object.fromEntries(Array.from({ length: 9 }, (_, clue) => [clue, t("clue {clue}", { clue })]));
const LOOK = "?";
const BRUSHES = {
  [LOOK]: t("look: in how many layouts is a cell a mine?"),
  ...{ "#": t("hidden cell"), F: t("flag"), "*": t("mine"), "-": t("hole"), ...CLUES },
};
const ICONS = { F: "flag", "*": "mine" };
const FACES = { "#": "tile", "-": "tile gap" };
/** What keys draw; Enter uses the brush. */
const KEYS = {
  ...Object.fromEntries(Object.keys(BRUSHES).map((brush) => [brush, brush])),
  f: "F",
  m: "*",
  h: "#",
  " ": "#",
};
const MEANINGS = { "is-safe": t("safe"), "is-mine": t("mine"), why: t("the clues"), settled: t("known before") };
const LAST = "sweep-position";
const MAX_BYTES = 10_000;
const MAX_RECORDED = 384 * 1024;
const RECORDED = /\.(avf|evf|mvf|rawvf|rmv)$/i;

const number = (id) => $(`#${id}`).valueAsNumber;

const inBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

/** Read a file for the server: as text, or in base64 if it is no UTF-8. */
async function readFile(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = unless([TypeError], () => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  return { text: text ?? inBase64(bytes), base64: text === null };
}

class Analyse {
  /** Removes the listeners of document and window. */
  #gone = new AbortController();
  /** Counts the positions; an answer about an earlier one comes too late. */
  #turn = 0;
  /** The fields that a person has typed into since they were read; answers leave them as they are. */
  #typed = new Set();
  /** The cells of the picture that may show something else, until they are drawn. */
  #doubtful = new Set();
  /** The cell that a person looks at. */
  #picked = null;
  /** The cells that are assumed to be mines or safe, with whether they are mines. */
  #assumed = new Map();
  /** The chances with those assumed; null without any. */
  #supposed = null;

  constructor(offered) {
    this.brush = LOOK;
    /** Removes the listeners of the board. */
    this.listening = new AbortController();
    this.zoom = new Zoom($(".board-scroll"), {
      height: () => Math.max(innerHeight - 290, innerHeight / 2),
      largest: 44,
    });
    $("#format").replaceChildren(
      ...offered.formats.map(
        ({ name, title, mines }) =>
          new Option(mines ? t("{format}, with mines", { format: translated(title) }) : translated(title), name),
      ),
    );
    $("#grid").replaceChildren(...offered.grids.map((name) => new Option(gridName(name), name)));
    this.endings = new Map(offered.formats.map(({ name, ending }) => [name, ending]));
    const bind = (id, name, action) => $(`#${id}`).addEventListener(name, action);
    bind("read", "click", () => this.read());
    bind("blank", "click", () => this.blank());
    bind("count", "click", () => this.countMines());
    bind("copy", "click", () => this.copy());
    bind("link", "click", () => this.copyLink());
    bind("save", "click", () => this.save());
    bind("play-on", "click", () => this.playOn());
    bind("if-mine", "click", () => this.#suppose(true));
    bind("if-safe", "click", () => this.#suppose(false));
    bind("mines", "change", () => this.ask());
    for (const id of ["text", "rows", "cols", "mines"]) bind(id, "input", () => this.#typed.add(id));
    bind("show-chances", "change", () => this.#drawChances());
    bind("file", "change", () => this.open($("#file").files[0]));
    bind("step-back", "click", () => this.step(this.at - 1));
    bind("step-on", "click", () => this.step(this.at + 1));
    bind("text", "paste", (event) => event.clipboardData.files.length || setTimeout(() => this.read()));
    this.#acceptFiles();
    addEventListener("hashchange", () => this.#restore(location.hash), { signal: this.#gone.signal });
    $("#brushes").replaceChildren(
      ...Object.keys(BRUSHES)
        .sort((one, other) => Number(isClue(one)) - Number(isClue(other)))
        .map((brush) => this.#brushButton(brush)),
    );
  }

  /** Show the position of the address, the last one of this tab, or an example. */
  async start() {
    if (this.#restore(location.hash) || this.#restore(tab.read(LAST, ""))) return;
    // A person may have typed before this page was ready.
    if ($("#text").value) return;
    $("#text").value = EXAMPLE;
    await this.read();
  }

  /** Write into fields, except those that a person has typed into. */
  #fill(values) {
    for (const [id, value] of Object.entries(values)) if (!this.#typed.has(id)) $(`#${id}`).value = value;
  }

  #restore(address) {
    const position = positionOf(address);
    if (!position) return false;
    this.#setUp(position.grid);
    this.board.show(position.codes);
    $("#mines").value = position.mines;
    this.ask();
    return true;
  }

  /** Accept files dropped anywhere, and text pasted outside of fields. */
  #acceptFiles() {
    const on = (name, handler) => document.addEventListener(name, handler, { signal: this.#gone.signal });
    on("dragover", (event) => event.preventDefault());
    on("drop", (event) => {
      event.preventDefault();
      const text = event.dataTransfer.getData("text/plain");
      if (event.dataTransfer.files.length) this.open(event.dataTransfer.files[0]);
      else if (text) this.#readText(text);
    });
    on("paste", (event) => {
      const [file] = event.clipboardData.files;
      if (file) this.open(file);
      else if (!isWithin(event.target, "input, textarea")) this.#readText(event.clipboardData.getData("text/plain"));
    });
  }

  #brushButton(brush) {
    const face = ICONS[brush]
      ? make("img", {
          src: new URL(`../icons/${ICONS[brush]}.svg`, import.meta.url).pathname,
          alt: "",
          width: 18,
          height: 18,
          class: "icon",
        })
      : FACES[brush]
        ? make("span", { class: FACES[brush] })
        : brush;
    const choose = ({ currentTarget }) => {
      this.brush = brush;
      for (const one of $("#brushes").children) one.setAttribute("aria-pressed", one === currentTarget);
    };
    const name = BRUSHES[brush];
    return makeButton(face, choose, { "aria-label": name, title: name, "aria-pressed": brush === this.brush });
  }

  /** Analyse a file with a position or a picture of one, or review a recorded game. */
  async open(file) {
    if (!file) return;
    if (isPicture(file)) {
      await this.#readPicture(file);
      return;
    }
    const isRecorded = RECORDED.test(file.name);
    const most = isRecorded ? MAX_RECORDED : MAX_BYTES;
    if (file.size > most) {
      const values = { name: file.name, most };
      showMessage(
        isRecorded
          ? t("{name} is too large: a recorded game may have {most} bytes.", values)
          : t("{name} is too large: a position may have {most} bytes.", values),
        { tone: "error" },
      );
      return;
    }
    if (isRecorded) {
      await this.#review(file);
      return;
    }
    this.#typed.delete("text");
    const content = await readFile(file);
    if (!content.base64) this.#fill({ text: content.text });
    await this.#send(content);
  }

  /** Show the position in a picture beside it, and mark the doubtful cells. */
  async #readPicture(file) {
    const turn = ++this.#turn;
    showMessage(t("Reading the picture …"));
    const seen = await orShowError(() => readPicture(file));
    if (!seen || turn !== this.#turn) return;
    this.#setUp(seen.grid);
    this.#doubtful = new Set(seen.doubtful);
    this.board.show(seen.codes);
    const mines = number("paste-mines");
    $("#mines").value = Number.isNaN(mines) ? seen.mines : mines;
    await this.ask();
  }

  /** Show the review of a recorded game instead of this page; the back button returns to it. */
  async #review(file) {
    showMessage(t("Reviewing the clicks …"));
    const data = inBase64(new Uint8Array(await file.arrayBuffer()));
    const review = await orShowError(async () =>
      ask("reviewRecording", await post("/api/recording", { name: file.name, data })),
    );
    if (!review) return;
    this.#gone.abort();
    this.listening.abort();
    history.pushState(null, "", location.href);
    addEventListener("popstate", () => location.reload());
    showPage("review");
    showReview(review);
  }

  #readText(text) {
    $("#text").value = text;
    return this.read();
  }

  async read() {
    await this.#send({ text: $("#text").value, base64: false });
  }

  async #send(content) {
    const [address] = content.base64 ? [] : (/#\d\S*$/.exec(content.text.trim()) ?? []);
    if (address && this.#restore(address)) return;
    const mines = number("paste-mines");
    const turn = ++this.#turn;
    this.#typed.clear();
    const answer = await orShowError(async () =>
      advise("analyse", await readPosition({ ...content, mines: Number.isNaN(mines) ? null : mines })),
    );
    if (!answer || turn !== this.#turn) return;
    if (this.board) this.board.show(this.board.codes.map(() => "#"));
    this.show(answer);
  }

  /** Start an empty drawing. */
  blank() {
    return orShowError(() => {
      const grid = gridOf({ rows: number("rows"), cols: number("cols"), grid: $("#grid").value });
      this.#typed.clear();
      this.#setUp(grid);
      return this.ask();
    });
  }

  #setUp(grid) {
    this.#doubtful = new Set();
    this.listening.abort();
    this.listening = new AbortController();
    const { signal } = this.listening;
    const label = t("Position, {rows} rows, {cols} columns", grid.toJSON());
    this.board = this.zoom.show(new Board($("#board"), grid, label));
    const on = (name, handler) => this.board.root.addEventListener(name, handler, { signal });
    let hovered = null;
    on("pointerdown", (event) => {
      const index = this.board.indexOf(event.target);
      this.#draw(index, event.button === 2 ? (this.board.codes[index] === "F" ? "#" : "F") : this.brush);
    });
    // Not pointerover, which comes to a mouse that rests, too, when messages move the board: keys may have gone on.
    on("pointermove", (event) => {
      const index = this.board.indexOf(event.target);
      if (index === hovered) return;
      hovered = index;
      if (event.buttons & 1) this.#draw(index, this.brush);
      const isFree = event.pointerType === "mouse" && !isWithin(document.activeElement, "input, textarea, select");
      if (this.board.cells[index]) this.board.moveTo(index, isFree);
    });
    on("pointerup", (event) => {
      if (event.button === 2 || this.brush !== LOOK) this.ask();
    });
    on("contextmenu", (event) => event.preventDefault());
    const act = (name, index) => {
      this.#draw(index, name === "use" ? this.brush : name);
      if (name === LOOK || (name === "use" && this.brush === LOOK)) return;
      const next = name !== "use" && this.board.grid.cells.find((cell) => cell > index);
      if (next) this.board.moveTo(next);
      this.ask();
    };
    listenToKeyboard(this.board, act, signal, { actions: { ...KEYS, Enter: "use" } });
  }

  /** Draw a cell, or look at it. */
  #draw(index, code) {
    if (index === null) return;
    if (code === LOOK) {
      this.#look(index);
      return;
    }
    this.#turn += 1;
    this.#doubtful.delete(index);
    if ((code === "-") === (this.board.codes[index] === "-") || this.#setHole(index, code)) this.board.set(index, code);
    if (code !== "-") this.board.moveTo(index, false);
  }

  /** Make a cell a hole, or a hole a cell, unless it is the last one; returns whether it is done. */
  #setHole(index, code) {
    const [{ grid, codes }, doubtful] = [this.board, this.#doubtful];
    if (code === "-" && grid.cells.length === 1) return false;
    const holes = codes.map((one, at) => Number((at === index ? code : one) === "-"));
    this.#setUp(grid.withHoles(Uint8Array.from(holes)));
    this.#doubtful = doubtful;
    this.board.show(codes);
    return true;
  }

  /** Say in how many layouts a cell is a mine, and why if that is certain. */
  #look(index) {
    if (!this.answer?.consistent || !"#F*".includes(this.board.codes[index])) return;
    this.board.moveTo(index, false);
    this.#picked = index;
    this.#showLayouts(index);
  }

  /** Suppose that the cell is a mine or safe; the same again takes that back. */
  #suppose(mine) {
    if (this.at >= 0) this.step(-1);
    if (this.#assumed.get(this.#picked) === mine) this.#assumed.delete(this.#picked);
    else this.#assumed.set(this.#picked, mine);
    this.#showLayouts(this.#assumed.size ? null : this.#picked);
  }

  /** Show in how many layouts a cell is a mine; without a cell, what follows from the assumed ones. */
  async #showLayouts(index) {
    const { grid } = this.board;
    const [turn, picked] = [this.#turn, this.#picked];
    const cell = index === null ? null : grid.pair(index);
    const assumed = [...this.#assumed].map(([one, mine]) => [grid.pair(one), mine]);
    const found = await orShowError(() => advise("layouts", this.#position, { cell, assumed }));
    if (!found || turn !== this.#turn || picked !== this.#picked) return;
    const step = this.answer.explanation.find(({ cells }) => cells.includes(index));
    if (!found.chances) this.#assumed.delete(picked);
    else this.#supposed = assumed.length ? found.chances : null;
    this.#showPicked([...found.words, step?.words].filter(Boolean).map(sentence).join(" "));
    if (this.at < 0) this.#mark();
  }

  /** Show a sentence about the cell that a person looks at, and what is assumed of it. */
  #showPicked(words) {
    $("#cell-words").textContent = words;
    for (const id of ["if-mine", "if-safe"]) {
      press(id, this.#assumed.get(this.#picked) === (id === "if-mine"));
      $(`#${id}`).disabled = this.#picked === null;
    }
  }

  /** Set every open clue to the number of drawn mines around it, and the mine count to their total. */
  countMines() {
    if (!this.board) return;
    const { board } = this;
    const isMine = (index) => board.codes[index] === "*";
    board.codes.forEach(
      (code, index) => isClue(code) && board.set(index, String(board.grid.around(index).filter(isMine).length)),
    );
    $("#mines").value = board.codes.filter((code) => code === "*").length;
    this.ask();
  }

  #rows(codes = this.board.codes) {
    return this.board.grid.rowsOf(codes).map((row) => row.join(""));
  }

  get #size() {
    return { grid: this.board.grid, mines: number("mines") || 0 };
  }

  get #position() {
    return { ...sizeToJSON(this.#size), cells: this.#view };
  }

  /** The position as rows; drawn flags and mines are hidden cells. */
  get #view() {
    return this.#rows(this.board.codes.map((code) => (isClue(code) || code === "-" ? code : "#")));
  }

  /** Analyse the drawing. */
  async ask() {
    if (!this.board) return;
    const turn = ++this.#turn;
    this.#typed.delete("mines");
    this.#storePosition();
    const answer = await orShowError(() => advise("analyse", this.#position));
    if (answer && turn === this.#turn) this.show(answer);
  }

  /** Store the position in the address, for reloads and links. */
  #storePosition() {
    const address = addressOf(this.board.grid, this.#size.mines, this.board.codes);
    history.replaceState(null, "", address);
    tab.write(LAST, address);
  }

  show(answer) {
    this.answer = answer;
    this.#picked = this.#supposed = null;
    this.#assumed.clear();
    this.#showPicked(t("Click a cell: in how many layouts is it a mine?"));
    $("#play-on").disabled = !answer.consistent;
    const grid = gridOf(answer);
    if (!this.board?.grid.equals(grid)) this.#setUp(grid);
    const drawn = this.board.codes;
    this.board.show(
      [...answer.view.join("")].map((code, i) =>
        code === "#" && (drawn[i] === "F" || drawn[i] === "*") ? drawn[i] : code,
      ),
    );
    this.#fill({ ...grid.toJSON(), mines: answer.mines, grid: grid.kind });
    this.#storePosition();
    showRatings(answer.ratings, answer.guess?.cell, (cell) => this.#look(grid.index(cell)));
    const name = (step) => `${translated(step.tier_name)}: ${sentence(step.words)}`;
    const buttons = answer.explanation.map((step, i) => [name(step), () => this.step(i)]);
    fillList($("#steps"), buttons);
    this.step(-1);
  }

  /** Show one step, counted from 0, and the cells known before it; -1 shows all certain cells. */
  step(at) {
    const steps = this.answer?.explanation ?? [];
    this.at = Math.max(-1, Math.min(at, steps.length - 1));
    $("#step-back").disabled = this.at < 0;
    $("#step-on").disabled = this.at >= steps.length - 1;
    $("#step-name").textContent =
      this.at < 0
        ? t("{count} {count:step|steps}", { count: steps.length })
        : t("step {number} of {count}", { number: this.at + 1, count: steps.length });
    markHere($("#steps"), this.at);
    if (this.at < 0) this.#showAll();
    else this.#showStep(steps[this.at], steps.slice(0, this.at));
  }

  #showStep(step, before) {
    this.board.chances();
    const known = before.flatMap((one) => [...one.safe, ...one.mines]);
    const marks = { settled: known, "is-safe": step.safe, "is-mine": step.mines, why: step.reason.clues };
    this.board.mark(marks);
    showMessage(step.words, { after: [legend(MEANINGS, marks)] });
  }

  /** Mark all that is certain, the best guess or the assumed cells, and the cell that a person looks at. */
  #mark() {
    const { safe_cells, mine_cells, guess, clash } = this.answer;
    const asked = this.#supposed ? [...this.#assumed.keys()] : [guess?.cell].filter(Boolean);
    const zone = this.#picked === null ? [] : [this.#picked];
    const doubtful = [...this.#doubtful];
    this.board.mark({ "is-safe": safe_cells, "is-mine": mine_cells, zone, asked, why: clash, doubtful });
    this.#drawChances();
  }

  #showAll() {
    const { answer, board } = this;
    this.#mark();
    if (!answer.consistent)
      showMessage(answer.words, { tone: "lost", after: [legend({ why: t("the clues at fault") })] });
    else
      showMessage(answer.words, {
        after: [legend({ "is-safe": MEANINGS["is-safe"], "is-mine": MEANINGS["is-mine"] })],
      });
    const wrong = answer.safe_cells.filter((cell) => "F*".includes(board.codes[board.grid.index(cell)])).length;
    $("#words").append(...unavoidableProof(board.grid, this.#view, answer.unavoidable));
    const count = this.#doubtful.size;
    if (count)
      appendMessage(
        t("{count} {count:cell is|cells are} doubtful. Compare with the picture: choose a brush and tap to correct.", {
          count,
        }),
      );
    else if (wrong) appendMessage(t("Wrong flags and mines: {count} of yours are on safe cells.", { count: wrong }));
  }

  #drawChances() {
    const shown = $("#show-chances").checked && this.answer?.consistent && this.at < 0;
    const unavoidable = this.answer?.unavoidable.flatMap(({ cells }) => cells);
    this.board?.chances(
      shown ? uncertain(this.#supposed ?? this.answer.probabilities, this.#supposed !== null) : undefined,
      this.#supposed ? null : this.answer?.guess?.cell,
      this.#supposed ? [] : unavoidable,
    );
  }

  /** Play on from this position, on a board drawn among the layouts that fit. */
  async playOn() {
    const { grid, codes } = this.board;
    const flags = grid.pairs(grid.cells.filter((cell) => codes[cell] === "F"));
    const game = await orShowError(() => ask("newGame", { mode: "position", ...this.#position, flags }));
    if (!game) return;
    tab.write(LAST_GAME, game.id);
    location.assign(addressOfPage(""));
  }

  get #asText() {
    return `${sizeName(this.#size)}\n${this.#view.join("\n")}\n`;
  }

  /** Write the drawing as text into the text field, selected and copied. */
  copy() {
    if (!this.board) return;
    $("#text").value = this.#asText;
    $("#text").select();
    copyText($("#text").value);
    showMessage(t("The position is in the text field."));
  }

  copyLink() {
    return showLink(
      location.href,
      t("Link to this position"),
      t("Link copied: it contains the position."),
      t("This link contains the position:"),
    );
  }

  async save() {
    if (!this.board) return;
    const cells = this.#rows(this.board.codes.map((code) => (isClue(code) || code === "*" ? code : "#")));
    const format = $("#format").value;
    if (format !== "text" && this.board.grid.label) {
      showMessage(t("This format has only rectangles: save the position as text."), { tone: "error" });
      return;
    }
    const file =
      format === "text"
        ? new Blob([this.#asText])
        : await orShowError(() => postForFile("/api/position/save", { cells, mines: number("mines") || 0, format }));
    if (!file) return;
    download(file, `position${this.endings.get(format)}`);
    showMessage(t("The position is saved as a file."));
  }
}

export async function start() {
  await new Analyse(await options()).start();
}
