/** How a game ended: a wave over the board, a card with the figures beside or over it, and a sound if it is wanted. */

import { get } from "./api.js";
import { exactText } from "./clock.js";
import { $ } from "./dom.js";
import { figuresOf, linesOf } from "./statistics.js";
import { isOffline } from "./offline.js";

const NOTES = { won: [523.25, 659.25, 783.99, 1046.5], lost: [196, 155.56, 130.81] };
const NOTE_SECONDS = 0.13;

/** Play a few notes; the player's clicks allow the page to be heard. */
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

/** Take the card away. */
export function hideEnding() {
  $("#ending").hidden = true;
  delete $("#board").dataset.wave;
}

/** Show how a game ended, which is seen on the board at once; figures follow when the server has judged the clicks. */
export async function showEnding(board, game, settings) {
  const card = $("#ending");
  const fatal = game.exploded[0];
  const from = fatal ? fatal[0] * game.cols + fatal[1] : board.current;
  board.wave(from);
  if (settings.sound) sound(game.status);
  const won = game.status === "won";
  $("#ending-title").textContent = won ? `Won in ${exactText(game.seconds)}` : `Lost after ${exactText(game.seconds)}`;
  card.className = `ending panel ${game.status}`;
  $("#ending-review").href = `/review/${game.id}`;
  $("#ending-review").textContent = won ? "Review" : "Give up and review";
  $("#ending-review").dataset.gives = won ? "" : game.id;
  $("#ending-figures").replaceChildren();
  // After an undo the game is no longer counted, nor is one without the server.
  const isCounted = game.undos === 0 && !isOffline(game.id);
  $("#ending-review").hidden = $("#ending-figures").hidden = !isCounted;
  card.hidden = false;
  if (fatal && card.getBoundingClientRect().top < board.cells[from].getBoundingClientRect().bottom) card.classList.add("at-top");
  if (!isCounted) return;
  const figures = await get(`/api/games/${game.id}/figures`);
  if (card.hidden || !figures.id || $("#ending-review").href.split("/").pop() !== figures.id) return;
  const isBest = won && !figures.unranked && (figures.best_before === null || game.seconds < figures.best_before);
  const unranked = { help: "with help", repeat: "on a board you had met" };
  const best = figures.best_before === null ? [] : [["Best before", exactText(figures.best_before)]];
  const first = isBest ? [["Your best time", "★"]] : figures.unranked ? [["Apart", unranked[figures.unranked]]] : [];
  $("#ending-figures").replaceChildren(...linesOf(first), ...figuresOf(figures, ["seconds", "stuck_seconds"]), ...linesOf(won ? best : []));
}
