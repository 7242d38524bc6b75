/** Higher numbers are never given, and not looked at in what others wrote. */
const maxUnit = 2 ** 24;

const fullWord = 0xffff_ffff;

/**
 * The numbered units of one scope. A unit is free unless an instance has it, a commit of this process is about to take it,
 * or another process was seen to have it. The lowest free units are given first: replicas that compete for the last unit
 * then ask for the same number, and the unique key lets one of them have it.
 */
export class ScopeUnits {
  /** Units that instances occupy, limited or not. */
  occupied = 0;
  /** One bit for each unit that an instance has. */
  #taken = new Uint32Array(2);
  #takenCount = 0;
  /** All words before it are full. */
  #firstWord = 0;
  readonly #pending = new Set<number>();
  readonly #contested = new Set<number>();

  get used(): number {
    return this.occupied + this.#pending.size + this.#contested.size;
  }

  /** Whether some units may become free or be shown as taken in a moment. */
  get isUnsettled(): boolean {
    return this.#pending.size + this.#contested.size > 0;
  }

  get isEmpty(): boolean {
    return this.used === 0 && this.#takenCount === 0;
  }

  /** Gives the lowest free units below the limit; undefined when there are not enough. */
  reserve(count: number, limit: number): readonly number[] | undefined {
    const units: number[] = [];
    for (const unit of this.#free(Math.min(limit, maxUnit))) {
      if (units.length === count) break;
      units.push(unit);
    }
    if (units.length < count) return undefined;
    for (const unit of units) this.#pending.add(unit);
    return units;
  }

  release(units: readonly number[]): void {
    for (const unit of units) this.#pending.delete(unit);
  }

  /** Another process has the unit, although no table shows it yet. */
  contest(unit: number): void {
    if (!this.#isTaken(unit)) this.#contested.add(unit);
  }

  /** Forgets a unit that another process had, if no table has shown it. */
  settle(unit: number): void {
    this.#contested.delete(unit);
  }

  /** An instance has the unit. */
  take(unit: number): void {
    this.#pending.delete(unit);
    this.#contested.delete(unit);
    if (unit >= maxUnit || this.#isTaken(unit)) return;
    const word = unit >>> 5;
    if (word >= this.#taken.length) this.#grow(word + 1);
    this.#takenCount++;
    this.#taken[word] = (this.#taken[word] ?? 0) | (1 << (unit & 31));
  }

  /** No instance has the unit any more. */
  free(unit: number): void {
    if (unit >= maxUnit || !this.#isTaken(unit)) return;
    const word = unit >>> 5;
    this.#takenCount--;
    this.#taken[word] = (this.#taken[word] ?? 0) & ~(1 << (unit & 31));
    this.#firstWord = Math.min(this.#firstWord, word);
  }

  *#free(limit: number): Iterable<number> {
    while (this.#taken[this.#firstWord] === fullWord) this.#firstWord++;
    for (let unit = this.#firstWord * 32; unit < limit; unit++) {
      if (this.#taken[unit >>> 5] === fullWord) unit |= 31;
      else if (!this.#isTaken(unit) && !this.#pending.has(unit) && !this.#contested.has(unit)) yield unit;
    }
  }

  #isTaken(unit: number): boolean {
    return ((this.#taken[unit >>> 5] ?? 0) & (1 << (unit & 31))) !== 0;
  }

  #grow(words: number): void {
    const grown = new Uint32Array(Math.max(words, this.#taken.length * 2));
    grown.set(this.#taken);
    this.#taken = grown;
  }
}
