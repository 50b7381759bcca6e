/** The first row of the Play page: the sizes, the daily puzzle and an unfinished game, each one click away. */

import { PRESETS, presetOf, sizeFromJSON } from "./core/sizes.js";
import { $, make, makeButton } from "./dom.js";
import { ask } from "./engine.js";
import { capital } from "./format.js";
import { browser } from "./storage.js";
import { t, translated, translatedTitle } from "./words.js";

const WELCOMED = "sweep-welcomed";
const SIZES = PRESETS.slice(0, 3);
const KINDS = ["no-guess", "classic", "kaboom"];
/** The size of the daily puzzle: everybody's results compare. */
export const DAILY = "intermediate";

export class StartRow {
  /** `next()` is the request for another game of the last kind; `begin(request)` starts one, `{resume: id}` goes on. */
  constructor(next, begin) {
    const button = (name, request) => makeButton(name, () => begin(request()));
    const kind = () => KINDS.find((one) => one === next().mode) ?? KINDS[0];
    this.sizes = SIZES.map(({ name }) => button(capital(translated(name)), () => ({ mode: kind(), preset: name })));
    this.daily = button(t("Daily"), () => ({ mode: "daily", preset: DAILY }));
    this.unfinished = button(t("Continue"), () => ({ resume: this.offers.unfinished.id }));
    this.unfinished.className = "resume";
    this.unfinished.hidden = true;
    $("#start-row").append(this.unfinished, ...this.sizes, this.daily);
    $("#first-help").hidden = Boolean(browser.text(WELCOMED));
  }

  /** Show what there is besides a game. */
  async show(game) {
    const preset = presetOf(sizeFromJSON(game));
    this.sizes.forEach((button, i) => button.setAttribute("aria-current", preset === SIZES[i]));
    this.offers = await ask("offers", game.id);
    const { unfinished, streak, isDone } = this.offers;
    this.unfinished.hidden = !unfinished;
    this.unfinished.title = unfinished ? translatedTitle(unfinished.title) : "";
    this.daily.replaceChildren(
      t("Daily"),
      ...(streak || isDone ? [make("b", {}, isDone ? `${streak} ✓` : `${streak}`)] : []),
    );
    this.daily.title = t("The no-guess board of today. Days won in a row: {streak}", { streak });
  }

  /** The first help has done its work when a game has ended. */
  end(game) {
    browser.write(WELCOMED, 1);
    $("#first-help").hidden = true;
    return this.show(game);
  }
}
