/** The light or dark theme: the system's until the player chooses one. Loaded first, so the page never flashes. */

const STORED = "sweep-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function chosen() {
  return localStorage.getItem(STORED) ?? (system.matches ? "dark" : "light");
}

function apply() {
  document.documentElement.dataset.theme = chosen();
  const button = document.querySelector("#theme");
  if (button) {
    const name = document.createElement("span");
    name.textContent = chosen() === "dark" ? "Light" : "Dark";
    button.replaceChildren(chosen() === "dark" ? "☀" : "☾", name);
    button.setAttribute("aria-label", `Switch to the ${chosen() === "dark" ? "light" : "dark"} theme`);
  }
}

apply();
system.addEventListener("change", apply);
document.addEventListener("DOMContentLoaded", () => {
  apply();
  document.querySelector("#theme")?.addEventListener("click", () => {
    localStorage.setItem(STORED, chosen() === "dark" ? "light" : "dark");
    apply();
  });
});
