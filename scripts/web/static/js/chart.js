/** SVG charts: bars with intervals, and dots in a row. */

import { makeSvg } from "./dom.js";
import { decimal, t } from "./words.js";

const LETTER_WIDTH = 8.2;
const VALUE_WIDTH = 64;
const NARROW = 380;
const ROW_HEIGHT = 34;
const TOP = 8;
const WIDEST = 840;

/** Draw a chart as wide as its place allows, so that its text keeps its size, and redraw it when the width changes. */
export function drawChart(place, chartOf) {
  new ResizeObserver(() => place.replaceChildren(chartOf(Math.min(place.clientWidth, WIDEST)))).observe(place);
}

/** The end of an axis, 1, 2 or 5 times a power of ten, and the number of its parts. */
function roundUp(highest) {
  const power = 10 ** Math.floor(Math.log10(highest));
  const [end, parts] = [
    [1, 4],
    [2, 4],
    [5, 5],
    [10, 4],
  ].find(([step]) => step * power >= highest) ?? [10, 4];
  return [end * power, parts];
}

/** Draw bars for [{name, value, low, high}] in percent, `width` pixels wide; `title` is for screen readers. */
export function barChart(title, bars, width) {
  const [end] = roundUp(Math.max(5, ...bars.map((bar) => bar.high)));
  const longest = Math.max(...bars.map((bar) => bar.name.length));
  const labelWidth = Math.min(longest * LETTER_WIDTH + 16, width / 2);
  const x = (value) => labelWidth + (value / end) * (width - labelWidth - VALUE_WIDTH);
  const height = TOP + bars.length * ROW_HEIGHT;
  const chart = makeSvg("svg", { class: "chart", role: "img", "aria-label": title, width, height: height + 24 });
  const ticks = width < NARROW ? 2 : 4;
  for (let tick = 0; tick <= ticks; tick++) {
    const value = (end * tick) / ticks;
    chart.append(
      makeSvg("line", { class: "line", x1: x(value), x2: x(value), y1: TOP, y2: height }),
      makeSvg(
        "text",
        { class: "soft", x: x(value), y: height + 16, "text-anchor": "middle" },
        `${decimal(value, 1, 0)} %`,
      ),
    );
  }
  bars.forEach(({ name, value, low, high }, i) => {
    const y = TOP + i * ROW_HEIGHT;
    const middle = y + ROW_HEIGHT / 2;
    chart.append(
      makeSvg("text", { x: labelWidth - 8, y: middle + 5, "text-anchor": "end" }, name),
      makeSvg("rect", {
        class: "bar",
        x: x(0),
        y: y + 6,
        width: Math.max(1, x(value) - x(0)),
        height: ROW_HEIGHT - 12,
        rx: 3,
      }),
      makeSvg("path", { class: "whisker", d: `M${x(low)} ${middle - 5}v10m0-5H${x(high)}m0-5v10` }),
      makeSvg("text", { x: x(high) + 6, y: middle + 5 }, `${decimal(value, 1)} %`),
    );
  });
  return chart;
}

/** Draw values as dots in a row, and a line of the `best` (Math.min or Math.max) so far. */
export function dotChart(title, values, width, { best }) {
  const [height, left, right] = [180, 44, 8];
  const chart = makeSvg("svg", {
    class: "chart",
    role: "img",
    "aria-label": `${title}: ${t("{count} {count:game|games}", { count: values.length })}`,
    width,
    height: height + 12,
  });
  if (!values.length) {
    chart.append(makeSvg("text", { x: left, y: height / 2 }, t("No game yet")));
    return chart;
  }
  const [end, parts] = roundUp(Math.max(...values, 0.01));
  const x = (i) => left + ((i + 0.5) / values.length) * (width - left - right);
  const y = (value) => TOP + (1 - value / end) * (height - TOP);
  for (let tick = 0; tick <= parts; tick++) {
    const value = (end * tick) / parts;
    chart.append(
      makeSvg("line", { class: "line", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      makeSvg(
        "text",
        { class: "soft", x: left - 6, y: y(value) + 4, "text-anchor": "end" },
        decimal(Number(value.toPrecision(3)), 3, 0),
      ),
    );
  }
  let record = values[0];
  const steps = values.map((value, i) => {
    record = best(record, value);
    return `${i ? `H${x(i)}` : `M${x(i)}`}${i ? "V" : " "}${y(record)}`;
  });
  chart.append(makeSvg("path", { class: "record-line", d: `${steps.join("")}H${width - right}` }));
  values.forEach((value, i) => chart.append(makeSvg("circle", { class: "bar", cx: x(i), cy: y(value), r: 3.5 })));
  return chart;
}
