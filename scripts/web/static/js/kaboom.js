/** What the Play page says about a game of Kaboom. */

import { sizeFromJSON } from "./core/sizes.js";
import { percent, sizeName } from "./format.js";
import { VERDICTS } from "./wording.js";
import { decimal, t } from "./words.js";

/** The mean number of forced guesses of `champion` in the modes uniform and cruelest, from docs/studies/kaboom. */
const CHAMPION_GUESSES = { "9x9/10": [0.09, 3.98], "16x16/40": [0.44, 32.37], "16x30/99": [3.35, 89.61] };

/** The number of forced guesses of a won game of Kaboom as a score; empty for other boards and rules, and after help. */
export function scoreInWords({ rules, guesses, helped, undos, ...game }) {
  const usual = CHAMPION_GUESSES[sizeName(sizeFromJSON(game))];
  const isUsual = rules?.opening_start && rules.outside_counts && !rules.guess_anywhere && !rules.unavoidable_early;
  if (helped || undos || !usual || !isUsual) return "";
  const mean = decimal(usual[Number(rules.mode === "cruelest")], 2);
  return t("Your score: {count} forced {count:guess|guesses}. The strategy champion needs {mean} on average.", {
    ...guesses,
    mean,
  });
}

/** The number of guesses that Kaboom granted, and the chance that all had survived on a fixed board. */
export function guessesInWords({ guesses }) {
  if (!guesses?.count) return "";
  const luck =
    guesses.luck === null
      ? ""
      : ` ${t("On a fixed board, the chance to survive them all was {chance}.", { chance: percent(guesses.luck) })}`;
  return t("{count} {count:guess|guesses} granted so far.", guesses) + luck;
}

/** The verdict of Kaboom on the last click in words; undefined if there is none. */
export const verdictOf = ({ verdict, rules }) =>
  verdict && VERDICTS[verdict.why === "forced_guess" && rules.unavoidable_early ? "early_guess" : verdict.why];
