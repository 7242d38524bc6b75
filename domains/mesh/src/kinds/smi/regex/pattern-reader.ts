/** Why a pattern is not a regular expression that every proxy understands. */
export class PatternProblem extends Error {}

/** Goes over the characters of a pattern. */
export class PatternReader {
  readonly #characters: readonly string[];
  #position = 0;

  constructor(pattern: string) {
    this.#characters = Array.from(pattern);
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#characters.length;
  }

  /** The next character, not yet taken; empty at the end. */
  get next(): string {
    return this.#characters[this.#position] ?? '';
  }

  take(): string {
    const character = this.next;
    this.#position++;
    return character;
  }

  /** Takes the text, which is ASCII, if it comes next. */
  skip(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.#position += text.length;
    return true;
  }

  startsWith(text: string): boolean {
    for (let index = 0; index < text.length; index++)
      if (this.#characters[this.#position + index] !== text[index]) return false;
    return true;
  }

  /** Takes everything up to the end mark, and the mark; throws when it does not come. */
  takeUntil(end: string, problem: string): string {
    const start = this.#position;
    while (!this.isAtEnd) {
      if (this.startsWith(end)) {
        const text = this.#characters.slice(start, this.#position).join('');
        this.skip(end);
        return text;
      }
      this.#position++;
    }
    throw new PatternProblem(problem);
  }

  /**
   * Takes what a pattern for the rest matches at its beginning; undefined, and nothing is taken, when it does not. The
   * pattern is tried only where one of the characters of `first` comes next: it costs much more than to look at one.
   */
  takeMatch(first: string, pattern: RegExp): RegExpExecArray | undefined {
    if (this.isAtEnd || !first.includes(this.next)) return undefined;
    const window = this.#characters.slice(this.#position, this.#position + maxTokenLength).join('');
    const match = pattern.exec(window);
    if (match === null) return undefined;
    this.#position += Array.from(match[0]).length;
    return match;
  }
}

/** Of repetitions, escapes and flags, the longest things that are read by patterns. */
const maxTokenLength = 64;
