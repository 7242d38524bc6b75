import type { Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { registerIn } from './register.ts';

const maxPatterns = 200;
const maxPatternLength = 4096;

/** Compiled patterns of one schema's rules. */
export class Patterns {
  readonly #compiled = new Map<string, RE2JS>();

  /** Throws when the pattern is not in RE2's syntax. */
  get(pattern: string): RE2JS {
    const known = this.#compiled.get(pattern);
    if (known !== undefined) return known;
    if (pattern.length > maxPatternLength) throw new Error(`pattern longer than ${maxPatternLength} characters`);
    const compiled = RE2JS.compile(pattern);
    if (this.#compiled.size < maxPatterns) this.#compiled.set(pattern, compiled);
    return compiled;
  }
}

/** `matches`, `find` and `findAll`, in time linear to the text. */
export function registerPatternFunctions(environment: Environment, patterns: Patterns): void {
  const matches = (text: string, pattern: string): boolean => patterns.get(pattern).test(text);
  const findAll = (text: string, pattern: string, limit = -1n): string[] => {
    const matcher = patterns.get(pattern).matcher(text);
    const max = limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
    const found: string[] = [];
    while (found.length < max && matcher.find()) found.push(matcher.group() ?? '');
    return found;
  };
  const register = registerIn(environment);
  register('string.ourMatches(string): bool', matches);
  register('ourMatches(string, string): bool', matches);
  register('string.find(string): string', (text: string, pattern: string) => findAll(text, pattern, 1n)[0] ?? '');
  register('string.findAll(string): list<string>', findAll);
  register('string.findAll(string, int): list<string>', findAll);
}
