/** How much work matching may still be, over several patterns and texts. */
export class MatchBudget {
  readonly #onExhausted: () => never;
  #steps: number;

  /** @param onExhausted throws what the caller is to hear when the steps are used up */
  constructor(steps: number, onExhausted: () => never) {
    this.#steps = steps;
    this.#onExhausted = onExhausted;
  }

  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) this.#onExhausted();
  }
}
