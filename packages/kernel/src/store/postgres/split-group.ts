import { type Commit, formatKey } from '../store.ts';

export interface SplitGroup<T> {
  /** Creations that neither succeed nor fail because of anything else in the group. */
  readonly creations: readonly T[];
  /** All others: they have to be executed one after the other. */
  readonly others: readonly T[];
}

/** Separates the commits of a group that can be done all at once, before the others, as if the group were done in order. */
export function splitGroup<T extends { readonly commit: Commit }>(
  group: readonly T[],
  stepwise: ReadonlySet<T> = new Set(),
): SplitGroup<T> {
  const touched = new Touched();
  const creations: T[] = [];
  const others: T[] = [];
  for (const one of group) {
    const isAlone = touched.add(one.commit);
    (isAlone && isCreation(one.commit) && !stepwise.has(one) ? creations : others).push(one);
  }
  return { creations, others };
}

const isCreation = ({ writes }: Commit): boolean =>
  writes.length > 0 && writes.every(({ type, expect }) => type === 'put' && expect.type === 'absent');

/** What the commits of a group write, check and claim. */
class Touched {
  readonly #written = new Set<string>();
  readonly #checked = new Set<string>();
  readonly #claimed = new Set<string>();

  /** Returns whether the commit has nothing to do with those added before. */
  add({ writes, checks = [] }: Commit): boolean {
    const written = writes.map(({ key }) => formatKey(key));
    const checked = checks.map(({ key }) => formatKey(key));
    const claimed = writes.flatMap(write => (write.type === 'put' ? (write.unique ?? []) : []));
    const isAlone =
      written.every(key => !this.#written.has(key) && !this.#checked.has(key)) &&
      checked.every(key => !this.#written.has(key)) &&
      claimed.every(text => !this.#claimed.has(text));
    for (const key of written) this.#written.add(key);
    for (const key of checked) this.#checked.add(key);
    for (const text of claimed) this.#claimed.add(text);
    return isAlone;
  }
}
