import type { Environment } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { areEqual, includes } from '../equality.ts';
import { registerIn } from './register.ts';

type List = readonly unknown[];

function compare(left: unknown, right: unknown): number {
  const [a, b] = [left, right] as (number | bigint | string)[];
  if (a === undefined || b === undefined) throw new Error('no such overload');
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

const isSorted = (list: List): boolean =>
  list.every((item, index) => index === 0 || compare(list[index - 1], item) <= 0);

function extreme(list: List, name: string, sign: number): unknown {
  if (list.length === 0) throw new Error(`${name} called on empty list`);
  return list.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best));
}

const indexOf = (list: List, value: unknown): bigint => BigInt(list.findIndex(item => areEqual(item, value)));
const lastIndexOf = (list: List, value: unknown): bigint => BigInt(list.findLastIndex(item => areEqual(item, value)));

const maxInt = 2n ** 63n - 1n;

function sumIntegers(list: readonly bigint[]): bigint {
  const sum = list.reduce((total, item) => total + item, 0n);
  if (sum > maxInt || sum < -maxInt - 1n) throw new Error('integer overflow');
  return sum;
}

/** The type is known at run time only when the list's type is dynamic. */
function sum(list: List): unknown {
  const [first] = list;
  if (first instanceof Duration) return (list as readonly Duration[]).reduce((total, item) => total.addDuration(item));
  if (typeof first === 'number') return (list as readonly number[]).reduce((total, item) => total + item, 0);
  return sumIntegers(list as readonly bigint[]);
}

class SetsNamespace {}

const containsAll = (list: List, part: List): boolean => part.every(item => includes(list, item));

/** Functions on lists, and the namespace `sets`. */
export function registerListFunctions(environment: Environment): void {
  const register = registerIn(environment);
  register('list<A>.isSorted(): bool', isSorted);
  register('list<A>.min(): A', (list: List) => extreme(list, 'min', -1));
  register('list<A>.max(): A', (list: List) => extreme(list, 'max', 1));
  register('list<int>.sum(): int', sum);
  register('list<double>.sum(): double', (list: List) => (list.length === 0 ? 0 : sum(list)));
  register('list<google.protobuf.Duration>.sum(): google.protobuf.Duration', (list: List) =>
    list.length === 0 ? new Duration(0) : sum(list),
  );
  register('list<A>.ourIndexOf(A): int', indexOf);
  register('list<A>.ourLastIndexOf(A): int', lastIndexOf);
  environment.registerType('SetsNamespace', SetsNamespace);
  environment.registerConstant('sets', 'SetsNamespace', new SetsNamespace());
  register('SetsNamespace.contains(list<A>, list<A>): bool', (_: unknown, list: List, part: List) =>
    containsAll(list, part),
  );
  register(
    'SetsNamespace.equivalent(list<A>, list<A>): bool',
    (_: unknown, left: List, right: List) => containsAll(left, right) && containsAll(right, left),
  );
  register('SetsNamespace.intersects(list<A>, list<A>): bool', (_: unknown, left: List, right: List) =>
    left.some(item => includes(right, item)),
  );
}
