/**
 * The storage of the browser, guarded: a blocked or full storage and damaged values never stop the page.
 *
 * Values that the storage refuses stay in memory until the page closes. All modules of the page store through this one.
 */

/** The key of the game that the Play page shows. */
export const LAST_GAME = "sweep-game";
/** The keys of games and finished games begin with these. */
export const GAME = "sweep-local-game-";
export const RECORD = "sweep-local-record-";

export class Store {
  #area;
  #memory = new Map();

  /** `area()` returns the storage; browsers that block it throw. */
  constructor(area) {
    try {
      this.#area = area();
      this.#area.getItem("");
    } catch {
      this.#area = null;
    }
  }

  /** The text of a key; null without one. */
  text(key) {
    return this.#memory.get(key) ?? this.#area?.getItem(key) ?? null;
  }

  /** All keys that begin with a prefix. */
  keys(prefix) {
    const keys = new Set([...Object.keys(this.#area ?? {}), ...this.#memory.keys()]);
    return [...keys].filter((key) => key.startsWith(prefix));
  }

  /** The value of a key; `fallback` if there is none, it is damaged, or it is of another type than `fallback`. */
  read(key, fallback = null) {
    const type = (value) => (Array.isArray(value) ? "array" : typeof value);
    try {
      const value = JSON.parse(this.text(key)) ?? fallback;
      if (fallback === null || type(value) === type(fallback)) return value;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    this.remove(key);
    return fallback;
  }

  write(key, value) {
    this.writeText(key, JSON.stringify(value));
  }

  /** Store a text. A full storage makes room, and if that fails the text stays in memory. */
  writeText(key, text) {
    this.#memory.delete(key);
    while (!this.#accepts(key, text)) {
      if (!this.#evict(key)) {
        this.#memory.set(key, text);
        return;
      }
    }
  }

  /** Store a text, if the browser accepts it. */
  #accepts(key, text) {
    try {
      this.#area?.setItem(key, text);
      return this.#area !== null;
    } catch {
      return false;
    }
  }

  remove(key) {
    this.#memory.delete(key);
    this.#area?.removeItem(key);
  }

  /** Whether some values are in memory only. */
  get isFull() {
    return this.#memory.size > 0;
  }

  /** Remove what is missed least: the oldest other game, else the clicks of the oldest finished game. */
  #evict(kept) {
    const others = (prefix) =>
      this.keys(prefix)
        .filter((key) => key !== kept && !this.#memory.has(key))
        .map((key) => ({ key, value: this.read(key, {}) }));
    const [game] = others(GAME).sort((one, other) => (one.value.stored ?? 0) - (other.value.stored ?? 0));
    if (game) {
      this.remove(game.key);
      return true;
    }
    const played = others(RECORD).filter(({ value }) => value.recorded_clicks?.length);
    const [oldest] = played.sort((one, other) => (one.value.ended < other.value.ended ? -1 : 1));
    if (!oldest) return false;
    const { recorded_clicks: _clicks, ...rest } = oldest.value;
    return this.#accepts(oldest.key, JSON.stringify(rest));
  }
}

/** What all tabs share and what outlives them. */
export const browser = new Store(() => localStorage);
/** What belongs to this tab. */
export const tab = new Store(() => sessionStorage);
