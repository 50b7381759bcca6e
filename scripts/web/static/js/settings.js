/** The player's settings, stored in the browser. */

import { $ } from "./dom.js";
import { browser } from "./storage.js";

const STORED = "sweep-settings";
/** The fields of the settings. A field that is checked in the page is the default. */
const FIELDS = {
  countdown: "#set-countdown",
  safeMode: "#set-safe",
  clickChords: "#set-chord",
  flagRest: "#set-rest",
  questions: "#set-questions",
  hintSteps: "#set-hints",
  sound: "#set-sound",
  live: "#set-live",
};

/** Return the stored settings, and keep them equal to the form fields; `changed` is called after each change. */
export function bindSettings(changed) {
  const settings = browser.read(STORED, {});
  for (const [name, selector] of Object.entries(FIELDS)) {
    const field = $(selector);
    settings[name] ??= field.defaultChecked;
    field.checked = settings[name];
    field.addEventListener("change", () => {
      settings[name] = field.checked;
      browser.write(STORED, settings);
      changed();
    });
  }
  return settings;
}
