/** The settings of the Play page, kept by the browser. */

import { $ } from "./dom.js";
import { browser } from "./storage.js";

const SETTINGS = "sweep-settings";
/** The fields of the settings; what the page shows at first is the default. */
const SETTING_FIELDS = {
  countdown: "#set-countdown",
  classic: "#set-classic",
  safeMode: "#set-safe",
  clickChords: "#set-chord",
  flagRest: "#set-rest",
  questions: "#set-questions",
  hintSteps: "#set-hints",
  sound: "#set-sound",
  live: "#set-live",
  swapButtons: "#set-swap",
  pressMs: "#set-press",
};

/** Show the boards of all pages in the look of the settings. */
export function applyLook({ classic } = browser.read(SETTINGS, {})) {
  document.documentElement.classList.toggle("classic", Boolean(classic));
}

/** Return the stored settings, and keep them equal to the form fields; `changed` is called after each change. */
export function bindSettings(changed) {
  const settings = browser.read(SETTINGS, {});
  // On a small screen each step covers a part of the board.
  if (matchMedia("(pointer: coarse)").matches) settings.hintSteps ??= false;
  for (const [name, selector] of Object.entries(SETTING_FIELDS)) {
    const field = $(selector);
    const value = field.type === "checkbox" ? "checked" : "value";
    settings[name] ??= field[value];
    field[value] = settings[name];
    field.addEventListener("change", () => {
      settings[name] = field[value];
      browser.write(SETTINGS, settings);
      applyLook(settings);
      changed();
    });
  }
  return settings;
}
