import { normaliseTerms } from '../commit-rules.ts';
import { encodeExpectation } from '../expectation.ts';
import { headSum, objectContentSum, versionContentSum } from '../row-checksum.ts';
import type { Check, Commit, ObjectKey, Put } from '../store.ts';
import { numbersLiteral, textsLiteral } from './array-literals.ts';
import { bigintArray, byteaArray, integerArray, textArray } from './binary-array.ts';
import { objectDetails } from './object-details.ts';

/** Commits that only create, as one call of the create function. */
export class CreationBatch {
  readonly #commits: readonly Commit[];
  readonly #places = new Places();
  readonly #placeNos: number[] = [];
  readonly #names: string[] = [];
  /** Many commits check the same, their namespace for instance; once is enough. */
  readonly #checkNos = new Map<string, number>();
  readonly #expects: number[] = [];
  readonly #puts: readonly Put[];

  constructor(commits: readonly Commit[]) {
    this.#commits = commits;
    this.#puts = commits.flatMap(({ writes }) => writes as readonly Put[]);
    for (const { key } of this.#puts) this.#addKey(key);
    for (const { checks = [] } of commits) for (const check of checks) this.#addCheck(check);
  }

  get isEmpty(): boolean {
    return this.#puts.length === 0;
  }

  /** As the create function takes them. */
  columns(): unknown[] {
    const puts = this.#puts;
    const { clusters, resources, namespaces } = this.#places;
    const expiries = puts.map(({ expiresAt }) => expiresAt ?? null);
    const termLists = puts.map(({ terms }) => numbersLiteral(normaliseTerms(terms)));
    const heads = puts.map(({ key }, no) => headSum(key, termLists[no] ?? ''));
    const uniqueLists = puts.map(({ unique }) => textsLiteral(unique));
    return [
      ...[clusters, resources, namespaces].map(textArray),
      integerArray(this.#placeNos),
      textArray(this.#names),
      bigintArray(this.#expects),
      integerArray(puts.map(({ value }) => value.splice)),
      byteaArray(puts.map(({ value }) => value.bytes)),
      bigintArray(unlessAllAre(null, expiries)),
      textArray(unlessAllAre('{}', termLists)),
      textArray(unlessAllAre('{}', uniqueLists)),
      bigintArray(puts.map(({ value }, no) => versionContentSum(heads[no] ?? 0, value.splice, value.bytes))),
      bigintArray(puts.map((put, no) => objectContentSum(heads[no] ?? 0, objectDetails(put)))),
    ];
  }

  /** The numbers of the commits that write or check any of these keys. */
  commitsWith(keyNos: readonly number[]): ReadonlySet<number> {
    const wanted = new Set(keyNos);
    const found = new Set<number>();
    let keyNo = 0;
    for (const [no, { writes, checks = [] }] of this.#commits.entries()) {
      const ofWrites = writes.map(() => ++keyNo);
      const ofChecks = checks.map(check => this.#puts.length + (this.#checkNos.get(this.#nameOf(check)) ?? 0));
      if ([...ofWrites, ...ofChecks].some(each => wanted.has(each))) found.add(no);
    }
    return found;
  }

  #addKey(key: ObjectKey): void {
    this.#placeNos.push(this.#places.noOf(key));
    this.#names.push(key.name);
  }

  #addCheck(check: Check): void {
    const name = this.#nameOf(check);
    if (this.#checkNos.has(name)) return;
    this.#checkNos.set(name, this.#checkNos.size + 1);
    this.#expects.push(encodeExpectation(check.expect));
    this.#addKey(check.key);
  }

  #nameOf({ key, expect }: Check): string {
    return `${this.#places.noOf(key)} ${encodeExpectation(expect)} ${key.name}`;
  }
}

/** The distinct places of keys, numbered from 1. */
class Places {
  readonly clusters: string[] = [];
  readonly resources: string[] = [];
  readonly namespaces: string[] = [];
  readonly #nos = new Map<string, number>();

  noOf({ cluster, resource, namespace }: ObjectKey): number {
    const name = `${cluster}|${resource}|${namespace}`;
    const known = this.#nos.get(name);
    if (known !== undefined) return known;
    this.clusters.push(cluster);
    this.resources.push(resource);
    this.namespaces.push(namespace);
    this.#nos.set(name, this.clusters.length);
    return this.clusters.length;
  }
}

const unlessAllAre = <T>(nothing: T, list: readonly T[]): readonly T[] =>
  list.every(each => each === nothing) ? [] : list;
