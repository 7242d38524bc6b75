import { RE2JS, RE2JSSyntaxException } from 're2js';
import { fail } from './failure.ts';
import type { Meter } from './meter.ts';

const maxPatternLength = 4096;
/** Instructions of a compiled pattern. Bounds what one character may cost. */
const maxProgramSize = 5000;

/** A pattern in RE2's syntax. Matching takes time linear in the text, and is charged before it starts. */
export class Pattern {
  readonly #compiled: RE2JS;
  readonly #size: number;

  constructor(source: string) {
    if (source.length > maxPatternLength) fail(`error parsing regexp: expression longer than ${maxPatternLength}`);
    this.#compiled = compile(source);
    this.#size = this.#compiled.programSize();
    if (this.#size > maxProgramSize) fail('error parsing regexp: expression too large');
  }

  test(text: string, meter: Meter): boolean {
    this.#charge(text, meter);
    return this.#compiled.test(text);
  }

  /** The first matches, with their groups; `max` below 0 means all. */
  findAll(text: string, max: number, meter: Meter): PatternMatch[] {
    const matches: PatternMatch[] = [];
    const matcher = this.#compiled.matcher(text);
    while (matches.length !== max) {
      this.#charge(text, meter);
      if (!matcher.find()) break;
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '');
      matches.push({ start: matcher.start(), end: matcher.end(), groups });
    }
    return matches;
  }

  /** Names of groups, with their numbers. */
  get groupNames(): Readonly<Record<string, number>> {
    return this.#compiled.namedGroups();
  }

  #charge(text: string, meter: Meter): void {
    meter.chargeSteps((text.length + 1) * this.#size);
  }
}

export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** The whole match and its groups. */
  readonly groups: readonly string[];
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return fail(error.message);
    throw error;
  }
}
