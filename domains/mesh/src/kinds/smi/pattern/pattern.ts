import { LruCache } from '@chandlery/platform';
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { portabilityProblem } from './portable-syntax.ts';

const maxPatternLength = 1024;
/** Instructions of a compiled pattern: bounds what a proxy does for each character of a path. */
const maxProgramSize = 2000;
/** Compiling costs about as much as this many matching steps for each character of the pattern. */
const compileStepsPerCharacter = 25;
const maxCachedPatterns = 1000;

/** Limits the work of matching, over several patterns and texts. */
export class MatchBudget {
  readonly #onExhausted: () => never;
  #steps: number;

  /** @param onExhausted throws the error of the caller when the steps are used up */
  constructor(steps: number, onExhausted: () => never) {
    this.#steps = steps;
    this.#onExhausted = onExhausted;
  }

  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) this.#onExhausted();
  }
}

/** Matches texts against one pattern, in time proportional to pattern times text. */
export interface PatternMatcher {
  matchesWhole(text: string): boolean;
  /** True when some prefix of the text matches. */
  matchesStart(text: string): boolean;
}

type Compiled = { readonly regex: RE2JS } | { readonly problem: string };

const cache = new LruCache<string, Compiled>(maxCachedPatterns);

/**
 * Why a pattern is not a regular expression in the RE2 syntax that all proxies share; undefined for a valid one. Patterns
 * that would become large are rejected too.
 */
export function patternProblem(pattern: string): string | undefined {
  const compiled = compile(pattern);
  return 'problem' in compiled ? compiled.problem : undefined;
}

/** Returns undefined for an invalid pattern. The budget, if there is one, is charged for compiling and matching. */
export function compilePattern(pattern: string, budget?: MatchBudget): PatternMatcher | undefined {
  const compiled = compile(pattern, budget);
  if ('problem' in compiled) return undefined;
  const { regex } = compiled;
  const matcherFor = (text: string) => regex.matcher(budget === undefined ? text : meteredText(text, regex, budget));
  return {
    matchesWhole: text => matcherFor(text).matches(),
    matchesStart: text => matcherFor(text).lookingAt(),
  };
}

function compile(pattern: string, budget?: MatchBudget): Compiled {
  if (pattern.length > maxPatternLength) return { problem: `it is longer than ${maxPatternLength} characters` };
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  budget?.spend(pattern.length * compileStepsPerCharacter);
  const compiled = compileNew(pattern);
  cache.set(pattern, compiled);
  return compiled;
}

function compileNew(pattern: string): Compiled {
  const problem = portabilityProblem(pattern);
  if (problem !== undefined) return { problem };
  try {
    const regex = RE2JS.compile(pattern);
    return regex.programSize() > maxProgramSize ? { problem: tooLarge } : { regex };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return { problem: describe(error) };
    throw error;
  }
}

const tooLarge = 'its repetitions make it too large';

const problems: Readonly<Record<string, string>> = {
  'missing closing )': 'a ( has no )',
  'unexpected )': 'a ) has no (',
  'missing closing ]': 'a [ has no ]',
  'missing argument to repetition operator': 'there is nothing that *, +, ? or {} could repeat',
  'invalid nested repetition operator': 'a repetition is repeated; use a group',
  'trailing backslash at end of expression': 'it ends with a backslash',
  'invalid or unsupported Perl syntax': 'RE2 has no look-around and only the flags i, m and s',
  'expression too large': tooLarge,
  'expression nests too deeply': 'groups are nested too deeply',
};

function describe(error: RE2JSSyntaxException): string {
  const [kind, part] = [error.getDescription(), error.getPattern() ?? ''];
  if (kind === 'invalid escape sequence') return `${part} has no meaning in RE2`;
  if (kind === 'duplicate capture group name') return `two groups are named ${part}`;
  if (kind === 'invalid character class range') return describeClass(part);
  if (kind === 'invalid repeat count') return describeRepetition(part);
  return problems[kind] ?? `${kind}: ${part}`;
}

const describeClass = (part: string): string =>
  part.startsWith('[:') ? `${part} is no class of characters` : 'a range in [] is the wrong way round';

const maxRepetitions = 1000;

/** A single repetition within its limit is rejected when nested ones multiply beyond it. */
function describeRepetition(part: string): string {
  const [from = 0, to = from] = (part.match(/\d+/g) ?? []).map(Number);
  const isValid = from <= to && to <= maxRepetitions;
  return isValid ? tooLarge : `${part} is no repetition of at most ${maxRepetitions}`;
}

/** A text that charges a budget for each character that is read. The library reads any String by `charCodeAt`. */
class MeteredText extends String {
  readonly #budget: MatchBudget;
  readonly #stepsPerRead: number;

  constructor(text: string, stepsPerRead: number, budget: MatchBudget) {
    super(text);
    this.#budget = budget;
    this.#stepsPerRead = stepsPerRead;
  }

  override charCodeAt(index: number): number {
    this.#budget.spend(this.#stepsPerRead);
    return super.charCodeAt(index);
  }
}

const meteredText = (text: string, regex: RE2JS, budget: MatchBudget): string =>
  new MeteredText(text, regex.programSize(), budget) as unknown as string;
