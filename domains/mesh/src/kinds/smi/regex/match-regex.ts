import { charRange, isWordCharacter } from './character-classes.ts';
import type { MatchBudget } from './match-budget.ts';
import { parseRegex } from './parse-regex.ts';
import type { CharacterTest, Place, RegexNode } from './regex-node.ts';

/** Says of texts whether they match. */
export interface RegexMatcher {
  matchesWhole(text: string): boolean;
  /** True when some beginning of the text matches. */
  matchesStart(text: string): boolean;
}

/**
 * Undefined for a pattern that is none. Takes time in proportion to pattern times text, whatever they are: all ways
 * through the pattern are followed at once. A budget, if one is given, is charged for all of it.
 */
export function compileRegex(pattern: string, budget?: MatchBudget): RegexMatcher | undefined {
  budget?.spend(pattern.length);
  const parsed = parseRegex(pattern);
  if ('problem' in parsed) return undefined;
  const program = new Program(parsed.node, budget);
  return {
    matchesWhole: text => program.run(text, 'whole'),
    matchesStart: text => program.run(text, 'start'),
  };
}

type Instruction =
  | { readonly type: 'character'; readonly test: CharacterTest }
  | { readonly type: 'place'; readonly place: Place }
  | { readonly type: 'fork'; to: number[] }
  | { readonly type: 'done' };

class Program {
  readonly #instructions: Instruction[] = [];
  readonly #budget: MatchBudget | undefined;

  constructor(node: RegexNode, budget: MatchBudget | undefined) {
    this.#budget = budget;
    this.#add(node);
    this.#instructions.push({ type: 'done' });
    budget?.spend(this.#instructions.length);
  }

  run(text: string, how: 'whole' | 'start'): boolean {
    const codePoints = Array.from(text, character => character.codePointAt(0) ?? 0);
    const done = this.#instructions.length - 1;
    let current = this.#reach([0], codePoints, 0);
    for (const [index, codePoint] of codePoints.entries()) {
      if (how === 'start' && current.has(done)) return true;
      const next: number[] = [];
      for (const at of current) {
        const instruction = this.#instructions[at];
        if (instruction?.type === 'character' && instruction.test(codePoint)) next.push(at + 1);
      }
      if (next.length === 0) return false;
      current = this.#reach(next, codePoints, index + 1);
    }
    return current.has(done);
  }

  /** Everything that can be reached without taking a character. */
  #reach(from: readonly number[], codePoints: readonly number[], position: number): ReadonlySet<number> {
    const reached = new Set(from);
    for (const at of reached) {
      const instruction = this.#instructions[at];
      if (instruction?.type === 'fork') for (const to of instruction.to) reached.add(to);
      if (instruction?.type === 'place' && isAt(instruction.place, codePoints, position)) reached.add(at + 1);
    }
    this.#budget?.spend(reached.size);
    return reached;
  }

  #add(node: RegexNode): void {
    switch (node.type) {
      case 'character':
      case 'place':
        this.#instructions.push(node);
        return;
      case 'sequence':
        for (const part of node.parts) this.#add(part);
        return;
      case 'choice':
        return this.#addChoice(node.options);
      case 'repeat':
        return this.#addRepeat(node);
    }
  }

  #addChoice(options: readonly RegexNode[]): void {
    const fork = this.#addFork();
    const ends: Instruction[] = [];
    for (const option of options) {
      fork.to.push(this.#instructions.length);
      this.#add(option);
      ends.push(this.#addFork());
    }
    for (const end of ends) if (end.type === 'fork') end.to.push(this.#instructions.length);
  }

  #addRepeat({ node, min, max }: Extract<RegexNode, { type: 'repeat' }>): void {
    for (let count = 0; count < min; count++) this.#add(node);
    if (max === Infinity) return this.#addLoop(node);
    const exits = [];
    for (let count = min; count < max; count++) {
      const fork = this.#addFork();
      fork.to.push(this.#instructions.length);
      this.#add(node);
      exits.push(fork);
    }
    for (const exit of exits) exit.to.push(this.#instructions.length);
  }

  #addLoop(node: RegexNode): void {
    const start = this.#instructions.length;
    const fork = this.#addFork();
    fork.to.push(this.#instructions.length);
    this.#add(node);
    this.#addFork().to.push(start);
    fork.to.push(this.#instructions.length);
  }

  #addFork(): Extract<Instruction, { type: 'fork' }> {
    const fork = { type: 'fork' as const, to: [] as number[] };
    this.#instructions.push(fork);
    return fork;
  }
}

const isNewline = charRange(10, 10);

function isAt(place: Place, codePoints: readonly number[], position: number): boolean {
  const before = codePoints[position - 1];
  const after = codePoints[position];
  const isWord = (codePoint: number | undefined): boolean => codePoint !== undefined && isWordCharacter(codePoint);
  switch (place) {
    case 'text start':
      return before === undefined;
    case 'text end':
      return after === undefined;
    case 'line start':
      return before === undefined || isNewline(before);
    case 'line end':
      return after === undefined || isNewline(after);
    case 'word edge':
      return isWord(before) !== isWord(after);
    case 'no word edge':
      return isWord(before) === isWord(after);
  }
}
