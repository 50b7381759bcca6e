/**
 * The words of the page. `t` translates an English sentence by the table of the player's language, words/LANGUAGE.json. The
 * sentences about deductions have names there, such as "one.none"; see player/logic/sentences.py.
 *
 * A sentence has its values in braces: `{count}`. `{count:cell|cells}` is the plural form of a number: one form for each
 * plural category of the language, in the order of CATEGORIES; `#` in a form is the number.
 */

import { browser } from "./storage.js";

const STORED = "sweep-language";
/** @type {Intl.LDMLPluralRule[]} */
const CATEGORIES = ["zero", "one", "two", "few", "many", "other"];
const VALUE = /\{(\w+)(?::([^}]*))?\}/g;
const ATTRIBUTES = ["title", "aria-label", "placeholder"];

/** The menu of languages. Workers have none: their name is the language. Nor have the files of `review --html`. */
const menu = /** @type {HTMLSelectElement | null} */ (globalThis.document?.querySelector("#language"));

function chosen() {
  if (!menu) return globalThis.document ? "en" : /** @type {any} */ (globalThis).name || "en";
  const offered = [...menu.options].map(({ value }) => value);
  const wanted = [browser.text(STORED), ...navigator.languages.map((tag) => tag.split("-")[0])];
  return wanted.find((one) => offered.includes(one)) ?? "en";
}

/** The table of a language; null if it cannot be loaded. */
async function load(name) {
  const folders = import.meta.url.startsWith("file:")
    ? ["../words/", "../../../../player/logic/words/"]
    : ["../words/"];
  const tables = await Promise.all(
    folders.map((folder) => read(new URL(`${folder}${name}.json`, import.meta.url)).catch(() => null)),
  );
  return tables.some(Boolean) ? Object.assign({}, ...tables) : null;
}

async function read(url) {
  if (url.protocol !== "file:") return (await fetch(url)).json();
  // @ts-expect-error Only the tests run in Node.
  const { readFile } = await import("node:fs/promises");
  return JSON.parse(await readFile(url, "utf8"));
}

/** The document of an English page names no deductions. */
const table = chosen() === "en" && globalThis.document ? null : await load(chosen());
/** The language of the page: a code such as "de". */
export const language = table ? chosen() : "en";

const plural = new Intl.PluralRules(language);
const categories = CATEGORIES.filter((one) => plural.resolvedOptions().pluralCategories.includes(one));

/** Translate an English sentence, and insert its values. */
export function t(english, values = {}) {
  return (table?.[english] ?? english).replace(VALUE, (_, name, forms) =>
    forms ? forms.split("|")[categories.indexOf(plural.select(values[name]))].replace("#", values[name]) : values[name],
  );
}

/** The sentences of the table that have values but do not begin with one, each with a pattern of its English text. */
const templates = Object.keys(table ?? {})
  .filter((english) => english.indexOf("{") > 0)
  .map((english) => {
    const source = english
      .replace(/[.*+?^$()[\]\\]/g, "\\$&")
      .replace(VALUE, (_, name, forms) => (forms ? `(?:${forms})` : `(?<${name}>.+?)`));
    return { english, pattern: new RegExp(`^${source}$`) };
  });

/** Translate a finished English sentence, such as one of the server; values that are in the table are translated, too. */
export function translated(text) {
  if (!table || text in table) return t(text);
  for (const { english, pattern } of templates) {
    const values = pattern.exec(text)?.groups;
    if (values)
      return t(english, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, translated(value)])));
  }
  return text;
}

/** A title with the number of holes instead of their rows: "16x30/99 torus, 12 holes". */
export const shortTitle = (title) =>
  title.replace(/(^| )holes (\S+)/, (_, before, rows) => {
    const count = [...rows.matchAll(/(\d*)#/g)].reduce((sum, [, run]) => sum + Number(run || 1), 0);
    return `${before && ", "}${count} ${count === 1 ? "hole" : "holes"}`;
  });

/** The title of a game or the name of a board, such as "Daily 2026-11-23 expert 16x30/99, in this browser". */
export function translatedTitle(title) {
  const part = (text) =>
    translated(text) === text
      ? text
          .split(" ")
          .map((word) => t(word))
          .join(" ")
      : translated(text);
  return shortTitle(title).split(", ").map(part).join(", ");
}

/** The player's variant of the language, for dates: a tag such as "de-CH". */
export const locale = globalThis.navigator?.languages?.find((tag) => tag.split("-")[0] === language) ?? language;

/** Join parts: "a, b and c". */
export const listed = (parts) => new Intl.ListFormat(language === "en" ? "en-GB" : language).format(parts);

/** A number with `digits` decimals, or at most so many if `least` is less. */
export const decimal = (value, digits, least = digits) =>
  value.toLocaleString(language, { minimumFractionDigits: least, maximumFractionDigits: digits, useGrouping: false });

/** Translate the texts of the document and its templates. A paragraph is one sentence with its elements. */
function translateDocument() {
  const opening = {};
  const roots = [...document.querySelectorAll("template")].map(({ content }) => content);
  for (const root of [document.body, ...roots]) {
    for (const paragraph of root.querySelectorAll("p")) {
      const english = paragraph.innerHTML.replace(/<(a|button) [^>]*>/g, (tag, name) => {
        opening[name] = tag;
        return `<${name}>`;
      });
      paragraph.innerHTML = t(english).replace(/<(a|button)>/g, (_, name) => opening[name]);
    }
    for (const name of ATTRIBUTES)
      for (const one of root.querySelectorAll(`[${name}]`)) one.setAttribute(name, t(one.getAttribute(name)));
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
      texts.currentNode.nodeValue = texts.currentNode.nodeValue.replace(/\S.*\S|\S/s, (text) => t(text));
  }
}

globalThis.document?.documentElement.classList.remove("untranslated");
if (menu) {
  document.documentElement.lang = menu.value = language;
  menu.addEventListener("change", () => {
    browser.writeText(STORED, menu.value);
    location.reload();
  });
  if (table) translateDocument();
}
