import type { ASTNode } from '@marcbachmann/cel-js';
import type { CelType, Checker } from './library.ts';
import { listTypeOf, mapTypeOf } from './type-names.ts';

/** One iteration of a loop. */
export interface Iteration {
  readonly key: unknown;
  readonly item: unknown;
  /** Evaluates a part of the body for this iteration. */
  readonly step: (part: ASTNode) => unknown;
}

/** What a loop makes of its iterations. */
export interface Loop {
  /** The result; `forEach` calls its argument at each iteration until that answers true. */
  run(forEach: (visit: (iteration: Iteration) => boolean) => void, body: readonly ASTNode[]): unknown;
  /** The type of the result, from those of the body and of the first variable. */
  typeOf(checker: Checker, body: readonly CelType[], variable: CelType): CelType;
  /** True when the first part of a body of so many parts is a predicate. */
  isTested(parts: number): boolean;
}

const always = (): boolean => true;
const boolType = (checker: Checker): CelType => checker.getType('bool');
const lastOf = (checker: Checker, types: readonly CelType[]): CelType => types.at(-1) ?? checker.getType('dyn');

function test(step: Iteration['step'], predicate: ASTNode | undefined): boolean {
  const value = predicate === undefined ? true : step(predicate);
  if (typeof value !== 'boolean') throw new Error('no such overload: a predicate must answer a bool');
  return value;
}

/** One iteration that decides makes up for errors of others. */
function quantify(deciding: boolean): Loop {
  return {
    isTested: always,
    typeOf: boolType,
    run(forEach, [predicate]) {
      let failure: Error | undefined;
      let isDecided = false;
      forEach(({ step }) => {
        try {
          isDecided = test(step, predicate) === deciding;
        } catch (error) {
          failure ??= error instanceof Error ? error : new Error(String(error));
        }
        return isDecided;
      });
      if (!isDecided && failure !== undefined) throw failure;
      return isDecided ? deciding : !deciding;
    },
  };
}

const existsOne: Loop = {
  isTested: always,
  typeOf: boolType,
  run(forEach, [predicate]) {
    let count = 0;
    forEach(({ step }) => {
      if (test(step, predicate)) count++;
      return false;
    });
    return count === 1;
  },
};

const filter: Loop = {
  isTested: always,
  typeOf: (checker, _, variable) => listTypeOf(checker, variable),
  run(forEach, [predicate]) {
    const kept: unknown[] = [];
    forEach(({ item, step }) => {
      if (test(step, predicate)) kept.push(item);
      return false;
    });
    return kept;
  },
};

/** A body of two parts is a predicate and a transformation. */
const splitBody = (body: readonly ASTNode[]): { predicate: ASTNode | undefined; transform: ASTNode } => ({
  predicate: body.length === 2 ? body[0] : undefined,
  transform: body.at(-1) as ASTNode,
});

const transformList: Loop = {
  isTested: parts => parts === 2,
  typeOf: (checker, types) => listTypeOf(checker, lastOf(checker, types)),
  run(forEach, body) {
    const { predicate, transform } = splitBody(body);
    const results: unknown[] = [];
    forEach(({ step }) => {
      if (test(step, predicate)) results.push(step(transform));
      return false;
    });
    return results;
  },
};

const transformMap: Loop = {
  isTested: parts => parts === 2,
  typeOf: (checker, types, key) => mapTypeOf(checker, key, lastOf(checker, types)),
  run(forEach, body) {
    const { predicate, transform } = splitBody(body);
    const results = new Map<unknown, unknown>();
    forEach(({ key, step }) => {
      if (test(step, predicate)) results.set(key, step(transform));
      return false;
    });
    return results;
  },
};

/** Each iteration makes a map, and their entries make up the result. */
const transformMapEntry: Loop = {
  isTested: parts => parts === 2,
  typeOf: lastOf,
  run(forEach, body) {
    const { predicate, transform } = splitBody(body);
    const results = new Map<unknown, unknown>();
    forEach(({ step }) => {
      if (test(step, predicate)) addEntries(results, step(transform));
      return false;
    });
    return results;
  },
};

function addEntries(results: Map<unknown, unknown>, made: unknown): void {
  if (!(made instanceof Map)) throw new Error('no such overload: an entry must be a map');
  for (const [key, value] of made) {
    if (results.has(key)) throw new Error(`insert failed: key ${String(key)} already exists`);
    results.set(key, value);
  }
}

/** By the name that expressions call them by. */
export const loops: Readonly<Record<string, Loop>> = {
  all: quantify(false),
  exists: quantify(true),
  exists_one: existsOne,
  existsOne,
  filter,
  map: transformList,
  transformList,
  transformMap,
  transformMapEntry,
};
