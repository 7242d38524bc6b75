import { RE2JS } from 're2js';
import { nativeTestOf } from './native-pattern.ts';

const maxPatternLength = 4096;
/** Instructions of a compiled pattern: `[a-z]{1000}` has about a thousand. Bounds what one character may cost. */
const maxProgramSize = 5000;
/** So many steps of a pattern, an instruction for a character each, are made before the budget is asked again. */
const stepsPerCharge = 2000;

/** Who pays for matching. */
export interface PatternBudget {
  /** Throws when no more steps may be made. */
  chargeSteps(steps: number): void;
}

/**
 * A tenant's pattern, in RE2's syntax, which is also that of Kubernetes. Matching is linear in the text, but a bad pattern takes
 * tens of microseconds for each character: it is charged while it runs, and stops when the budget is spent.
 */
export class Pattern {
  readonly #compiled: RE2JS;
  readonly #nativeTest: ((text: string) => boolean) | undefined;
  readonly #size: number;

  /** Throws when the pattern is not in RE2's syntax, or too large. */
  constructor(source: string) {
    if (source.length > maxPatternLength) throw new Error(`longer than ${maxPatternLength} characters`);
    this.#compiled = RE2JS.compile(source);
    this.#size = this.#compiled.programSize();
    if (this.#size > maxProgramSize) {
      throw new Error(`too large: it has ${this.#size} instructions, and at most ${maxProgramSize} are allowed`);
    }
    this.#nativeTest = nativeTestOf(source);
  }

  get size(): number {
    return this.#size;
  }

  /** Whether the pattern is found in the text. Throws what the budget throws. */
  test(text: string, budget: PatternBudget): boolean {
    if (this.#nativeTest !== undefined) return this.#nativeTest(text);
    return this.#compiled.test(this.#metered(text, budget));
  }

  /** The first matches. Throws what the budget throws. */
  findAll(text: string, max: number, budget: PatternBudget): string[] {
    const matcher = this.#compiled.matcher(this.#metered(text, budget));
    const found: string[] = [];
    while (found.length < max && matcher.find()) {
      budget.chargeSteps(this.#size);
      found.push(matcher.group() ?? '');
    }
    return found;
  }

  /** Short texts are paid for in advance. */
  #metered(text: string, budget: PatternBudget): string {
    const steps = (text.length + 1) * this.#size;
    if (steps > stepsPerCharge) return new MeteredText(text, this.#size, budget) as unknown as string;
    budget.chargeSteps(steps);
    return text;
  }
}

/** A text whose reader pays for each character. The library takes any String, and reads it by this method. */
class MeteredText extends String {
  readonly #budget: PatternBudget;
  readonly #stepsPerRead: number;
  #unpaid = 0;

  constructor(text: string, stepsPerRead: number, budget: PatternBudget) {
    super(text);
    this.#budget = budget;
    this.#stepsPerRead = stepsPerRead;
  }

  override charCodeAt(index: number): number {
    this.#unpaid += this.#stepsPerRead;
    if (this.#unpaid >= stepsPerCharge) {
      this.#budget.chargeSteps(this.#unpaid);
      this.#unpaid = 0;
    }
    return super.charCodeAt(index);
  }
}
