/** The dialog for a new game. It builds the request for the server and remembers the choices. */

import { DIFFICULTIES } from "../kernel/index.js";
import { Grid } from "../kernel/grids.js";
import { gridOfLines, linesIn, withPattern } from "./core/holes.js";
import { SWITCHES, today } from "./core/puzzles.js";
import { MAX_PAGE_SIDE, PRESETS, gridOf, presetOf, sizeToJSON } from "./core/sizes.js";
import { $, make, onClick } from "./dom.js";
import { capital, gridName, searchInWords, sizeName } from "./format.js";
import { orShowError } from "./messages.js";
import { browser } from "./storage.js";
import { t, translated, translatedTitle } from "./words.js";

const STORED = "sweep-new-game";
const MODES = [
  { mode: "no-guess", name: t("No guess"), words: t("Logic solves the whole board.") },
  { mode: "classic", name: t("Classic"), words: t("Mines are placed at random.") },
  { mode: "kaboom", name: t("Kaboom"), words: t("It cheats, but fairly.") },
  { mode: "daily", name: t("Daily"), words: t("The no-guess board of a day, the same for everyone.") },
  { mode: "practice", name: t("Practice"), words: t("Show a safe cell in a position that needs one kind of step.") },
  { mode: "pack", name: t("From a pack"), words: t("A stored puzzle."), needsDatabase: true },
];
/**
 * The sizes and names of the original Kaboom.
 *
 * @type {(import("./core/sizes.js").Size & { name: string })[]}
 */
const KABOOM_SIZES = [
  { name: "too young to die", grid: new Grid(8, 8), mines: 8 },
  { name: "not too rough", grid: new Grid(10, 10), mines: 20 },
  { name: "hurt me plenty", grid: new Grid(20, 20), mines: 50 },
  { name: "ultra-violence", grid: new Grid(20, 20), mines: 90 },
];
/** The fields of each kind of game, besides its size. */
const BOXES = {
  "no-guess": ["grid", "difficulty", "tier", "seed"],
  classic: ["grid", "start", "seed"],
  kaboom: ["grid", "rules", "seed"],
  daily: ["date"],
  practice: ["tier"],
  pack: ["packs", "tier"],
};

function choice(group, value, name, words, checked) {
  const radio = Object.assign(make("input"), { type: "radio", name: group, value, checked });
  return make(
    "label",
    { class: "choice" },
    radio,
    make("span", {}, make("b", {}, name), words ? make("small", {}, words) : ""),
  );
}

const isStandard = (size) => presetOf(size)?.name === size.name;
/** @param {import("./core/sizes.js").Size} size */
function sizeWords({ grid, mines }) {
  const size = t("{size}, {count} {count:mine|mines}", { size: `${grid.rows}×${grid.cols}`, count: mines });
  return [size, translatedTitle(grid.label)].filter(Boolean).join(", ");
}

export class NewGame {
  #search = new AbortController();

  /** `options` come from the server; `begin(request, search)` starts a game or throws `Fault`, see call in engine.js. */
  constructor(options, begin) {
    this.options = options;
    this.begin = begin;
    this.dialog = $("#new-game");
    this.modes = MODES.filter((one) => !one.needsDatabase || options.packs.length > 0);
    $("#modes").replaceChildren(...this.modes.map((one, i) => choice("mode", one.mode, one.name, "", i === 0)));
    $("#sizes").replaceChildren(
      ...options.presets.map((one, i) =>
        choice("size", one.name, capital(translated(one.name)), sizeWords(one), i === 0),
      ),
      ...KABOOM_SIZES.map((one) => choice("size", one.name, capital(one.name), sizeWords(one), false)),
      choice("size", "custom", t("Custom"), t("up to {most} rows and columns", { most: MAX_PAGE_SIDE }), false),
    );
    $("#pack").replaceChildren(
      new Option(t("any"), ""),
      ...options.packs.map((pack, i) => new Option(`${translatedTitle(sizeName(pack))} (${pack.puzzles})`, i)),
    );
    $("#grid").append(...options.grids.map((name) => new Option(gridName(name), name)));
    $("#difficulty").append(...DIFFICULTIES.map((word) => new Option(translated(word), word)));
    $("#rows").max = $("#cols").max = MAX_PAGE_SIDE;
    $("#date").max = $("#date").value = today();
    this.#recall();
    $("#new-form").addEventListener("change", () => this.#arrange());
    $("#hole-rows").addEventListener("input", () => this.#arrange());
    $("#new-form").addEventListener("submit", (event) => this.#submit(event));
    onClick("cancel", () => this.dialog.close());
    this.dialog.addEventListener("close", () => this.#search.abort());
    this.#arrange();
  }

  open() {
    $("#new-error").hidden = true;
    this.dialog.showModal();
    // Scrolls the dialog to the chosen kind of game.
    $('input[name="mode"]:checked').focus();
  }

  #chosen(name) {
    return $(`input[name="${name}"]:checked`).value;
  }

  /** Restore the last choices that still exist, except the seed. */
  #recall() {
    const stored = browser.read(STORED, {});
    for (const field of this.#fields()) {
      if (field.type === "radio")
        field.checked = field.checked && !(field.name in stored) ? true : stored[field.name] === field.value;
      else if (field.type === "checkbox") field.checked = stored[field.id] ?? field.checked;
      else field.value = stored[field.id] ?? field.value;
    }
    for (const name of ["mode", "size"])
      if (!$(`input[name="${name}"]:checked`)) $(`input[name="${name}"]`).checked = true;
    for (const id of ["difficulty", "pack", "grid", "holes"]) if ($(`#${id}`).selectedIndex < 0) $(`#${id}`).value = "";
  }

  #remember() {
    const kept = {};
    for (const field of this.#fields()) {
      if (field.type !== "radio") kept[field.id] = field.type === "checkbox" ? field.checked : field.value;
      else if (field.checked) kept[field.name] = field.value;
    }
    browser.write(STORED, kept);
  }

  #fields() {
    return [...$("#new-form").elements].filter(
      (field) => field.matches("input, select, textarea") && !["seed", "puzzle", "date"].includes(field.id),
    );
  }

  /** Show the fields of the chosen kind of game. */
  #arrange() {
    const mode = this.#chosen("mode");
    const boxes = BOXES[mode];
    $("#mode-words").textContent = MODES.find((one) => one.mode === mode).words;
    $("#sizes-box").hidden = mode === "pack" || mode === "practice";
    for (const box of ["grid", "packs", "rules", "start", "difficulty", "tier", "date", "seed"])
      $(`#${box}-box`).hidden = !boxes.includes(box);
    const hide = (name, isHidden) => {
      const radio = $(`input[name="size"][value="${CSS.escape(name)}"]`);
      radio.closest("label").hidden = isHidden;
      if (isHidden && radio.checked) $(`input[name="size"][value="${PRESETS[0].name}"]`).checked = true;
    };
    hide("custom", mode === "daily");
    // Daily boards exist only in the standard sizes.
    for (const one of this.options.presets) hide(one.name, mode === "daily" && !isStandard(one));
    for (const { name } of KABOOM_SIZES) hide(name, mode !== "kaboom");
    $("#custom").hidden = this.#chosen("size") !== "custom";
    const hasRows = $("#holes").value === "rows";
    $("#hole-rows-box").hidden = !hasRows;
    $("#rows").readOnly = $("#cols").readOnly = hasRows;
    if (!hasRows) return;
    const lines = linesIn($("#hole-rows").value);
    $("#rows").value = lines.length;
    $("#cols").value = lines[0]?.length ?? 0;
  }

  request() {
    const mode = this.#chosen("mode");
    const boxes = BOXES[mode];
    /** @type {Record<string, any>} */
    const fields = mode === "pack" ? this.#packFields() : mode === "practice" ? {} : this.#sizeFields();
    if (boxes.includes("grid") && $("#grid").value) fields.grid = $("#grid").value;
    if (boxes.includes("grid") && this.#chosen("size") === "custom") Object.assign(fields, this.#holesOf(fields));
    if (boxes.includes("tier") && $("#tier").value && !fields.puzzle) fields.tier = $("#tier").value;
    if (boxes.includes("difficulty") && $("#difficulty").value) fields.difficulty = $("#difficulty").value;
    if (boxes.includes("start")) fields.start = $("#first").value;
    if (boxes.includes("rules")) fields.rules = this.#rules();
    if (boxes.includes("date") && $("#date").value) fields.date = $("#date").value;
    if (boxes.includes("seed") && $("#seed").value) fields.seed = $("#seed").valueAsNumber;
    return { mode, ...fields };
  }

  #sizeFields() {
    const size = this.#chosen("size");
    const known = [...this.options.presets, ...KABOOM_SIZES].find(({ name }) => name === size);
    if (known && isStandard(known)) return { preset: size };
    if (known) return sizeToJSON(known);
    return Object.fromEntries(["rows", "cols", "mines"].map((name) => [name, $(`#${name}`).valueAsNumber]));
  }

  /** What the chosen holes change in a size. Throws `Fault`. */
  #holesOf(size) {
    const pattern = $("#holes").value;
    if (pattern === "rows") return gridOfLines(linesIn($("#hole-rows").value), size.grid).toJSON();
    return pattern ? withPattern(pattern, gridOf(size)).toJSON() : {};
  }

  #packFields() {
    const puzzle = $("#puzzle").value.trim();
    if (puzzle) return { puzzle };
    const pack = this.options.packs[Number($("#pack").value || NaN)];
    return pack ? sizeToJSON(pack) : {};
  }

  #rules() {
    const rules = { mode: $("#rule-cruelest").checked ? "cruelest" : "uniform" };
    for (const name of SWITCHES) rules[name] = $(`#rule-${name}`).checked;
    return rules;
  }

  async #submit(event) {
    event.preventDefault();
    const error = $("#new-error");
    error.hidden = true;
    $("#start").disabled = true;
    const searching = $("#searching");
    this.#search = new AbortController();
    const report = (seconds) => {
      searching.textContent = searchInWords(seconds);
      if (!searching.hidden) return;
      searching.hidden = false;
      searching.scrollIntoView({ block: "nearest" });
    };
    const begin = async () => {
      await this.begin(this.request(), { signal: this.#search.signal, report });
      this.#remember();
      this.dialog.close();
    };
    await orShowError(begin, ({ message }) => {
      error.textContent = message;
      error.hidden = false;
      error.scrollIntoView({ block: "nearest" });
    }).finally(() => {
      $("#start").disabled = false;
      searching.hidden = true;
    });
  }
}
