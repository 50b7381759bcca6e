/** Pictures of boards, such as screenshots: they are read by the engine in this browser, and never sent. */

import { Fault, PRESETS, gridOf } from "./core/sizes.js";
import { $ } from "./dom.js";
import { askMore } from "./engine.js";
import { t } from "./words.js";

const CODES = [..."012345678#F*#"];
const MOST_PIXELS = 40_000_000;
const USUAL_DENSITY = 0.16;
/** Part of a cell that is shown around the board. */
const MARGIN = 0.5;

/** Whether a file is a picture, also of a kind that the browser does not know. */
export const isPicture = ({ type, name }) => type.startsWith("image/") || /\.(hei[cf]|jxl|pdf|psd|tiff?)$/i.test(name);

/** Decode a picture and draw it on the canvas of the page. Throws `Fault`. */
async function drawn(file) {
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture)
    throw new Fault(t("{name} is no picture that this browser can read: save it as PNG or JPEG.", { name: file.name }));
  const { width, height } = picture;
  if (width * height > MOST_PIXELS)
    throw new Fault(t("The picture has {width}x{height} pixels: cut out the board.", { width, height }));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.drawImage(picture, 0, 0);
  return { canvas, data: context.getImageData(0, 0, width, height).data };
}

/** The bytes of red, green and blue. */
function withoutOpacity(data) {
  const pixels = new Uint8Array((data.length / 4) * 3);
  for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
    pixels[to] = data[from];
    pixels[to + 1] = data[from + 1];
    pixels[to + 2] = data[from + 2];
  }
  return pixels;
}

/** The usual number of mines for a size, if it fits the clues, or the nearest that does. */
function likelyMines({ rows, cols, leastMines, mostMines }) {
  const usual = PRESETS.find(({ grid }) => grid.rows === rows && grid.cols === cols);
  const mines = usual?.mines ?? Math.round(USUAL_DENSITY * rows * cols);
  return Math.min(Math.max(mines, leastMines), mostMines);
}

/** Show the part of a picture with the board beside the position, and a frame around each doubtful cell. */
function show(picture, { rows, cols, left, top, width, height }, doubtful) {
  const canvas = /** @type {HTMLCanvasElement} */ ($("#picture canvas"));
  const [x, y] = [left - MARGIN * width, top - MARGIN * height];
  canvas.width = (cols + 2 * MARGIN) * width;
  canvas.height = (rows + 2 * MARGIN) * height;
  const context = canvas.getContext("2d");
  context.drawImage(picture, -x, -y);
  context.strokeStyle = getComputedStyle(canvas).getPropertyValue("--warn");
  context.lineWidth = Math.max(2, width / 10);
  for (const cell of doubtful)
    context.strokeRect(left + (cell % cols) * width - x, top + Math.floor(cell / cols) * height - y, width, height);
  $("#picture").hidden = false;
}

/** Read the largest board of a picture and show it: its grid, codes, doubtful cells and mines. Throws `Fault`. */
export async function readPicture(file) {
  const { canvas, data } = await drawn(file);
  const [board] = await askMore("readPicture", withoutOpacity(data), canvas.width, canvas.height);
  if (!board) throw new Fault(t("No board was found in the picture: cells of 8 to 200 pixels can be read."));
  const grid = gridOf(board);
  const doubtful = [...board.doubtful.keys()].filter((cell) => board.doubtful[cell]);
  show(canvas, board, doubtful);
  return { grid, codes: Array.from(board.meanings, (meaning) => CODES[meaning]), doubtful, mines: likelyMines(board) };
}
