/** The end of a game: a wave over the board, a card with statistics, and a sound if the settings ask for it. */

import { $ } from "./dom.js";
import { ask, askMore } from "./engine.js";
import { exactText } from "./format.js";
import { addressOfPage } from "./place.js";
import { SPEED, termsOf, ratingText, statsOf } from "./statistics.js";
import { t } from "./words.js";

const NOTES = { won: [523.25, 659.25, 783.99, 1046.5], lost: [196, 155.56, 130.81] };
const NOTE_SECONDS = 0.13;

function sound(status) {
  const audio = new AudioContext();
  const volume = new GainNode(audio, { gain: 0.12 });
  volume.connect(audio.destination);
  NOTES[status].forEach((frequency, i) => {
    const note = new OscillatorNode(audio, { type: "triangle", frequency });
    note.connect(volume);
    note.start(audio.currentTime + i * NOTE_SECONDS);
    note.stop(audio.currentTime + (i + 1) * NOTE_SECONDS);
    if (i === NOTES[status].length - 1) note.onended = () => audio.close();
  });
}

export function hideEnding() {
  $("#ending").hidden = true;
  delete $("#board").dataset.wave;
}

/** Show the end of a game at once, and its statistics when the server has reviewed the clicks. */
export async function showEnding(board, game, settings) {
  const card = $("#ending");
  const fatal = game.exploded[0];
  const from = fatal ? board.grid.index(fatal) : board.current;
  board.wave(from);
  if (settings.sound) sound(game.status);
  const won = game.status === "won";
  const time = exactText(game.seconds);
  $("#ending-title").textContent = !won
    ? t("Lost after {time}", { time })
    : game.helped
      ? t("Won with help")
      : game.flagged === false
        ? t("Won in {time}, no flags", { time })
        : t("Won in {time}", { time });
  card.className = `ending panel ${game.status}`;
  $("#ending-review").href = addressOfPage("review", game.id);
  $("#ending-stats").replaceChildren();
  $("#ending-plan").hidden = true;
  // A game after an undo does not count.
  const isCounted = game.undos === 0;
  $("#ending-share").hidden = $("#ending-stats").hidden = !isCounted;
  $("#ending-review").hidden = !isCounted;
  card.dataset.game = game.id;
  card.hidden = false;
  if (fatal && card.getBoundingClientRect().top < board.cells[from].getBoundingClientRect().bottom)
    card.classList.add("at-top");
  if (!isCounted) return;
  const stats = await ask("stats", game.id);
  if (card.hidden || !stats.id || card.dataset.game !== stats.id) return;
  const isBest = won && !stats.unranked && (stats.best_before === null || game.seconds < stats.best_before);
  const best = stats.best_before === null ? [] : [[t("Best before"), exactText(stats.best_before)]];
  const first = isBest
    ? [[t("Your best time"), "★"]]
    : stats.unranked === "repeat"
      ? [[t("Unranked"), t("a known board")]]
      : [];
  const { rated } = stats;
  const rating = rated ? [[t("Rating"), ratingText(rated)]] : [];
  const speed = stats.unranked === "help" ? SPEED : [];
  $("#ending-stats").replaceChildren(
    ...termsOf([...first, ...rating]),
    ...statsOf(stats, ["seconds", "stuck_seconds", ...speed]),
    ...termsOf(won && !speed.length ? best : []),
  );
  const plan = won && !speed.length && (await askMore("plan", game.id));
  if (!plan || card.dataset.game !== stats.id) return;
  $("#ending-stats").append(...termsOf([[t("Clicks of the shortest plan found"), plan.length]]));
  $("#ending-plan").hidden = false;
  $("#ending-plan").href = addressOfPage("watch", game.id);
}
