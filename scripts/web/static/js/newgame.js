/** The dialog that asks for a new game, and turns the answers into the server's request. */

import { $, make } from "./dom.js";

const MODES = [
  { mode: "no-guess", name: "No guess", words: "logic solves it to the end" },
  { mode: "classic", name: "Classic", words: "as the mines fall" },
  { mode: "kaboom", name: "Kaboom", words: "it cheats, but fairly" },
  { mode: "pack", name: "From a pack", words: "a stored puzzle", needsDatabase: true },
  { mode: "daily", name: "Daily", words: "one for everybody, today" },
];

function choice(group, value, name, words, checked) {
  const radio = Object.assign(make("input"), { type: "radio", name: group, value, checked });
  return make("label", { class: "choice" }, radio, make("span", {}, make("b", {}, name), make("small", {}, words)));
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);
const sizeWords = ({ rows, cols, mines }) => `${rows}×${cols}, ${mines} mines`;

export class NewGame {
  /** `options` is the server's answer; `begin(request)` starts a game, and throws ApiError if it is refused. */
  constructor(options, begin) {
    this.options = options;
    this.begin = begin;
    this.dialog = $("#new-game");
    const modes = MODES.filter((one) => !one.needsDatabase || options.puzzles > 0);
    $("#modes").replaceChildren(...modes.map((one, i) => choice("mode", one.mode, one.name, one.words, i === 0)));
    $("#sizes").replaceChildren(
      ...options.presets.map((one, i) => choice("size", one.name, capital(one.name), sizeWords(one), i === 0)),
      choice("size", "custom", "Custom", `up to ${options.limits.rows[1]}×${options.limits.cols[1]}`, false),
    );
    $("#pack").replaceChildren(
      new Option("any", ""),
      ...(options.packs ?? []).map((pack, i) => new Option(`${pack.rows}x${pack.cols}/${pack.mines} (${pack.puzzles})`, i)),
    );
    const { rows, cols } = options.limits;
    [$("#rows").min, $("#rows").max] = rows;
    [$("#cols").min, $("#cols").max] = cols;
    $("#new-form").addEventListener("change", () => this.#arrange());
    $("#new-form").addEventListener("submit", (event) => this.#submit(event));
    $("#cancel").addEventListener("click", () => this.dialog.close());
    this.#arrange();
  }

  /** Ask; `isRunning` tells that a game would be lost. */
  open(isRunning) {
    $("#running").hidden = !isRunning;
    $("#new-error").hidden = true;
    this.dialog.showModal();
  }

  #chosen(name) {
    return $(`input[name="${name}"]:checked`).value;
  }

  /** Show the fields that the kind of game has. */
  #arrange() {
    const mode = this.#chosen("mode");
    $("#sizes-box").hidden = mode === "pack";
    $("#packs-box").hidden = mode !== "pack";
    $("#rules-box").hidden = mode !== "kaboom";
    $("#start-box").hidden = mode !== "classic";
    $("#seed-box").hidden = mode !== "classic" && mode !== "no-guess";
    const custom = $('input[name="size"][value="custom"]');
    custom.closest("label").hidden = mode === "daily";
    if (mode === "daily" && custom.checked) $('input[name="size"]').checked = true;
    $("#custom").hidden = this.#chosen("size") !== "custom";
  }

  /** The request that the answers make. */
  request() {
    const mode = this.#chosen("mode");
    if (mode === "pack") return { mode, ...this.#packFields() };
    const size = this.#chosen("size");
    const numbers = ["rows", "cols", "mines"].map((name) => [name, $(`#${name}`).valueAsNumber]);
    const request = size === "custom" ? { mode, ...Object.fromEntries(numbers) } : { mode, preset: size };
    if (mode === "classic") request.start = this.#chosen("start");
    if (mode === "kaboom") request.rules = this.#rules();
    if (!$("#seed-box").hidden && $("#seed").value) request.seed = $("#seed").valueAsNumber;
    return request;
  }

  #packFields() {
    const puzzle = $("#puzzle").value.trim();
    if (puzzle) return { puzzle };
    const pack = this.options.packs[Number($("#pack").value || NaN)];
    const fields = pack ? { rows: pack.rows, cols: pack.cols, mines: pack.mines } : {};
    return $("#tier").value ? { ...fields, tier: $("#tier").value } : fields;
  }

  #rules() {
    const rules = { mode: $("#rule-cruelest").checked ? "cruelest" : "uniform" };
    for (const name of ["opening_start", "guess_anywhere", "outside_counts"]) rules[name] = $(`#rule-${name}`).checked;
    return rules;
  }

  async #submit(event) {
    event.preventDefault();
    const error = $("#new-error");
    error.hidden = true;
    $("#start").disabled = true;
    try {
      await this.begin(this.request());
      this.dialog.close();
    } catch (refused) {
      if (!("code" in refused)) throw refused;
      error.textContent = refused.message;
      error.hidden = false;
    } finally {
      $("#start").disabled = false;
    }
  }
}
