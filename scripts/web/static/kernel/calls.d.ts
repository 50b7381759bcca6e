import type { Difficulty, Kernel, Recipe, SolvablePuzzle } from "./index.js";

/** `signal` ends a call; its promise is then rejected with the reason of the signal. */
export interface Options {
  signal?: AbortSignal;
}

/** A kernel in a worker, for browsers: it answers one call after the other, and none blocks the page. */
export class Calls<Methods> {
  /** Call a method, except with functions as arguments. Rejected with the errors of the method. */
  call<Name extends keyof Methods & keyof Kernel>(
    name: Name,
    args: Parameters<Kernel[Name]>,
    options?: Options,
  ): Promise<ReturnType<Kernel[Name]>>;
  /** Make a board that logic solves from its first click, if wanted of a difficulty. */
  deal(recipe: Recipe, options?: Options & { difficulty?: Difficulty }): Promise<SolvablePuzzle>;
  /** End the worker. Calls that have no answer never get one. */
  end(): void;
}
