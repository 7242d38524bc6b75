import type { Environment } from '@marcbachmann/cel-js';
import { Pattern } from '../../patterns.ts';
import type { Meter } from '../meter.ts';
import { registerIn } from './register.ts';

const maxPatterns = 200;
/** Instructions of all patterns that a schema's rules spell out. */
const maxTotalSize = 20_000;
/** What compiling a pattern costs that a rule has put together; so much makes the meter look at the clock. */
const compileCost = 300;

/** Compiled patterns of one schema's rules. */
export class Patterns {
  readonly #compiled = new Map<string, Pattern>();
  readonly #meter: Meter;
  #totalSize = 0;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** Compiles a pattern that a rule spells out. Throws when it is not in RE2's syntax, or too large with all others. */
  declare(pattern: string): void {
    if (this.#compiled.has(pattern)) return;
    const compiled = new Pattern(pattern);
    this.#totalSize += compiled.size;
    if (this.#totalSize > maxTotalSize) {
      throw new Error(`the patterns of a schema's rules must not have more than ${maxTotalSize} instructions`);
    }
    this.#compiled.set(pattern, compiled);
  }

  /** Throws when the pattern is not in RE2's syntax, or too large. */
  get(pattern: string): Pattern {
    const known = this.#compiled.get(pattern);
    if (known !== undefined) return known;
    this.#meter.charge(compileCost);
    const compiled = new Pattern(pattern);
    if (this.#compiled.size < maxPatterns) this.#compiled.set(pattern, compiled);
    return compiled;
  }
}

/** `matches`, `find` and `findAll`, in time linear to the text. */
export function registerPatternFunctions(environment: Environment, patterns: Patterns, meter: Meter): void {
  const matches = (text: string, pattern: string): boolean => patterns.get(pattern).test(text, meter);
  const findAll = (text: string, pattern: string, limit = -1n): string[] =>
    patterns.get(pattern).findAll(text, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit), meter);
  const register = registerIn(environment);
  register('string.ourMatches(string): bool', matches);
  register('ourMatches(string, string): bool', matches);
  register('string.find(string): string', (text: string, pattern: string) => findAll(text, pattern, 1n)[0] ?? '');
  register('string.findAll(string): list<string>', findAll);
  register('string.findAll(string, int): list<string>', findAll);
}
