/** The player's settings, stored in the browser. */

const STORED = "sweep-settings";
const DEFAULTS = { countdown: false, safeMode: false, clickChords: true, flagRest: false, questions: false, hintSteps: true, sound: false, live: false };

/** Return the stored settings, and keep them equal to the form fields; `changed` is called after each change. */
export function bindSettings(changed) {
  const settings = { ...DEFAULTS, ...JSON.parse(localStorage.getItem(STORED) ?? "{}") };
  const fields = { countdown: "#set-countdown", safeMode: "#set-safe", clickChords: "#set-chord", flagRest: "#set-rest", questions: "#set-questions", hintSteps: "#set-hints", sound: "#set-sound", live: "#set-live" };
  for (const [name, selector] of Object.entries(fields)) {
    const field = document.querySelector(selector);
    field.checked = settings[name];
    field.addEventListener("change", () => {
      settings[name] = field.checked;
      localStorage.setItem(STORED, JSON.stringify(settings));
      changed();
    });
  }
  return settings;
}
