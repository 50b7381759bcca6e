/** The light or dark theme: the system's until the player chooses one. Loaded first, so the page never flashes. */

const STORED = "sweep-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

/** The text of a key in the storage; null where a browser blocks it. This script is no module, so it asks by itself. */
function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

let theme = stored(STORED);
const chosen = () => theme ?? (system.matches ? "dark" : "light");

function apply() {
  const { documentElement: root } = document;
  root.dataset.theme = chosen();
  const colour = getComputedStyle(root).getPropertyValue("--panel").trim();
  document.querySelector("meta[name=theme-color]")?.setAttribute("content", colour);
}

apply();
// The header waits for its words in another language.
if (!(stored("sweep-language") ?? navigator.language).startsWith("en"))
  document.documentElement.classList.add("untranslated");
system.addEventListener("change", apply);
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector("#theme")?.addEventListener("click", () => {
    theme = chosen() === "dark" ? "light" : "dark";
    apply();
    try {
      localStorage.setItem(STORED, theme);
    } catch {
      // Full or blocked: the theme lasts until the page closes.
    }
  });
});
