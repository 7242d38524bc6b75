import { nearest } from '@chandlery/platform';

/** Something that is wrong with a configuration document, or suspicious. */
export interface Problem {
  /** Such as `clusters[0].region`; empty for the document as a whole. */
  readonly path: string;
  readonly message: string;
}

/** The bounds of a number, inclusive. */
export interface NumberRange {
  /** Default 0. */
  readonly min?: number;
  /** Default: the largest safe integer. */
  readonly max?: number;
}

/**
 * One value of a document. Its methods note what is wrong and then return a value of the right type all the same, so
 * that one read finds all problems. `null` counts as absent, because that is what YAML makes of an empty value.
 */
export class DocumentValue {
  readonly value: unknown;
  readonly path: string;
  readonly #problems: Problem[];

  constructor(value: unknown, path: string, problems: Problem[]) {
    this.value = value;
    this.path = path;
    this.#problems = problems;
  }

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** Notes a problem of this value. */
  reject(message: string): void {
    this.#problems.push({ path: this.path, message });
  }

  /** Access to the fields of an object that has no other keys than those given. An absent object has no fields. */
  fields<Key extends string>(known: readonly Key[]): (key: Key) => DocumentValue {
    const object = isObject(this.value) ? this.value : {};
    if (!this.isAbsent && !isObject(this.value)) this.reject('must be an object');
    for (const key of Object.keys(object)) {
      if (!(known as readonly string[]).includes(key)) this.#at(key, undefined).reject(unknownKey(key, known));
    }
    return key => this.child(key);
  }

  /** One field, whatever others there are. */
  child(key: string): DocumentValue {
    return this.#at(key, isObject(this.value) && Object.hasOwn(this.value, key) ? this.value[key] : undefined);
  }

  /** Keys and values of an object with free keys. */
  entries(): readonly (readonly [string, DocumentValue])[] {
    if (this.isAbsent) return [];
    if (isObject(this.value)) return Object.entries(this.value).map(([key, value]) => [key, this.#at(key, value)]);
    this.reject('must be an object');
    return [];
  }

  /** The items of a list; none when it is absent. */
  items(): readonly DocumentValue[] {
    if (this.isAbsent) return [];
    if (Array.isArray(this.value))
      return this.value.map((item, index) => new DocumentValue(item, `${this.path}[${index}]`, this.#problems));
    this.reject('must be a list');
    return [];
  }

  /** A text that is not empty; required unless there is a default. */
  text(fallback?: string): string {
    if (this.isAbsent) return this.#absent(fallback, '');
    if (typeof this.value === 'string' && this.value.trim() !== '') return this.value;
    this.reject(typeof this.value === 'string' ? 'must not be empty' : 'must be a text');
    return '';
  }

  optionalText(): string | undefined {
    return this.isAbsent ? undefined : this.text();
  }

  /** A text that YAML may have taken for a number, such as the id of an organisation. */
  identifier(): string {
    return typeof this.value === 'number' && Number.isSafeInteger(this.value) ? String(this.value) : this.text();
  }

  /** A whole number within a range; required unless there is a default. */
  integer(range: NumberRange, fallback?: number): number {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = range;
    if (this.isAbsent) return this.#absent(fallback, min);
    if (typeof this.value === 'number' && Number.isInteger(this.value) && this.value >= min && this.value <= max)
      return this.value;
    const upTo = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
    this.reject(`must be a whole number${upTo}`);
    return min;
  }

  optionalInteger(range: NumberRange): number | undefined {
    return this.isAbsent ? undefined : this.integer(range);
  }

  flag(fallback: boolean): boolean {
    if (this.isAbsent) return fallback;
    if (typeof this.value !== 'boolean') this.reject('must be true or false');
    return this.value === true;
  }

  /** One of some words; required unless there is a default. */
  choice<Word extends string>(words: readonly [Word, ...Word[]], fallback?: Word): Word {
    if (this.isAbsent) return this.#absent(fallback, words[0]);
    const found = words.find(word => word === this.value);
    if (found === undefined) this.reject(`must be one of ${words.join(', ')}`);
    return found ?? words[0];
  }

  #absent<Value>(fallback: Value | undefined, substitute: Value): Value {
    if (fallback === undefined) this.reject('is required');
    return fallback ?? substitute;
  }

  #at(key: string, value: unknown): DocumentValue {
    return new DocumentValue(value, this.path === '' ? key : `${this.path}.${key}`, this.#problems);
  }
}

/** A map of what a list has, with a problem for every id that it has twice. */
export function mapUnique<Item>(
  items: readonly DocumentValue[],
  read: (item: DocumentValue) => readonly [string, Item],
): ReadonlyMap<string, Item> {
  const map = new Map<string, Item>();
  for (const item of items) {
    const [id, value] = read(item);
    if (map.has(id)) item.reject(`"${id}" is in the list already`);
    else map.set(id, value);
  }
  return map;
}

/** The sentence about a word that is not among those known. */
export function unknownWord(what: string, word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  const hint = meant === undefined ? `known are: ${known.join(', ') || 'none'}` : `did you mean "${meant}"?`;
  return `${what} "${word}" is not known; ${hint}`;
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return meant === undefined
    ? `is not a known key; known are: ${known.join(', ')}`
    : `is not a known key; did you mean "${meant}"?`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
