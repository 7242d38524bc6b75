import { WorkflowError } from '../../errors.ts';

/** So many characters of text cost as much as one step. */
const charactersPerStep = 16;

/**
 * Counts what an evaluation costs: a step for each operation and for each item of a list that is read or made, less for
 * characters. Bounds time and memory together, since nothing is allocated that was not charged first.
 */
export class Meter {
  #left: number;

  constructor(maxCost: number) {
    this.#left = maxCost;
  }

  /** Throws when the evaluation has used up its steps. */
  charge(steps: number): void {
    this.#left -= steps;
    if (!(this.#left >= 0)) throw new WorkflowError('expression-too-costly', 'memory budget exceeded');
  }

  chargeText(length: number): void {
    this.charge(1 + length / charactersPerStep);
  }

  /** Charges a match of a pattern: an instruction for each character. */
  chargeSteps(steps: number): void {
    this.charge(steps / charactersPerStep);
  }
}
