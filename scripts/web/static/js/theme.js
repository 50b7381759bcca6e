/** The light or dark theme: the system's until the player chooses one. Loaded first, so the page never flashes. */

const STORED = "sweep-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function chosen() {
  return localStorage.getItem(STORED) ?? (system.matches ? "dark" : "light");
}

function apply() {
  document.documentElement.dataset.theme = chosen();
}

apply();
// The header waits for its words in another language.
if (!(localStorage.getItem("sweep-language") ?? navigator.language).startsWith("en")) document.documentElement.classList.add("untranslated");
system.addEventListener("change", apply);
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector("#theme")?.addEventListener("click", () => {
    localStorage.setItem(STORED, chosen() === "dark" ? "light" : "dark");
    apply();
  });
});
