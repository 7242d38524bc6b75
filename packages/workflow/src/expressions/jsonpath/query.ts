import { lengthOf } from '../values/access.ts';
import { Failure, fail } from '../values/failure.ts';
import type { Meter } from '../values/meter.ts';
import { isList, isStringMap, ownValue, sortedEntries, type Value } from '../values/value.ts';
import { evaluateScript, isTruthy } from './evaluate-script.ts';
import { parsePath } from './parse-path.ts';
import type { Script, Selector } from './selector.ts';

/** What a path selects. Wildcards, ranges, unions, filters and `..` give lists. Throws a Failure when there is nothing. */
export function queryJsonPath(root: Value, path: string, meter: Meter): Value {
  meter.chargeText(path.length * 4);
  return new Query(root, meter).select(root, parsePath(path));
}

class Query {
  readonly #root: Value;
  readonly #meter: Meter;

  constructor(root: Value, meter: Meter) {
    this.#root = root;
    this.#meter = meter;
  }

  select(value: Value, selectors: readonly Selector[]): Value {
    this.#meter.charge(1);
    const [selector, ...rest] = selectors;
    if (selector === undefined) return value;
    switch (selector.type) {
      case 'key':
        return this.select(this.#keyOf(value, selector.key), rest);
      case 'index':
        return this.select(itemOf(value, selector.index), rest);
      case 'length':
        return this.select(lengthIn(value), rest);
      case 'script':
        return this.select(this.#computed(value, selector.script), rest);
      case 'recursive':
        return this.#recurse(value, rest);
      case 'wildcard':
        return this.#selectEach(childrenOf(value, 'wildcard'), rest);
      case 'filter':
        return this.#continue(
          childrenOf(value, 'filter').filter(item => this.#matches(selector.script, item)),
          rest,
        );
      case 'union':
        return this.#continue(this.#unionOf(value, selector.members), rest);
      case 'range':
        return this.#continue(this.#rangeOf(value, selector.bounds), rest);
    }
  }

  /** An index behind a list of results selects among them; everything else is applied to each. */
  #continue(items: readonly Value[], rest: readonly Selector[]): Value {
    return rest[0]?.type === 'index' ? this.select(items, rest) : this.#selectEach(items, rest);
  }

  /** Items for which the rest of the path selects nothing are left out. */
  #selectEach(items: readonly Value[], rest: readonly Selector[]): Value[] {
    this.#meter.charge(items.length);
    if (rest.length === 0) return [...items];
    return items.map(item => this.#trySelect(item, rest)).filter(item => item !== null);
  }

  #trySelect(value: Value, selectors: readonly Selector[]): Value {
    try {
      return this.select(value, selectors);
    } catch (error) {
      if (error instanceof Failure) return null;
      throw error;
    }
  }

  #recurse(value: Value, rest: readonly Selector[]): Value[] {
    if (value === null) return [];
    const found = rest.length === 0 ? [value] : this.#trySelect(value, rest);
    const own = found === null ? [] : isList(found) ? found : [found];
    const below = isList(value) || isStringMap(value) ? childrenOf(value, 'recursive') : [];
    this.#meter.charge(own.length + below.length);
    return [...own, ...below.flatMap(child => this.#recurse(child, rest))];
  }

  #matches(script: Script, item: Value): boolean {
    try {
      return isTruthy(this.#evaluate(script, item));
    } catch (error) {
      if (error instanceof Failure) return false;
      throw error;
    }
  }

  #evaluate(script: Script, current: Value): Value {
    const readPath = (isRoot: boolean, selectors: readonly Selector[]): Value =>
      this.select(isRoot ? this.#root : current, selectors);
    return evaluateScript(script, readPath, this.#meter);
  }

  #computed(value: Value, script: Script): Value {
    const key = this.#evaluate(script, value);
    if (typeof key === 'string') return this.#keyOf(value, key);
    return typeof key === 'number' ? itemOf(value, key) : fail('unexpected expression result. expected [int string]');
  }

  #keyOf(value: Value, key: string): Value {
    if (!isStringMap(value)) return wrongTarget('key', value, '[map]');
    const found = ownValue(value, key);
    return found === undefined ? fail(`key: invalid token key '${key}' not found`) : found;
  }

  #unionOf(value: Value, members: readonly (string | number | Script)[]): Value[] {
    const keys = members.map(member => (typeof member === 'object' ? this.#evaluate(member, value) : member));
    const missing = isStringMap(value)
      ? keys.filter(key => typeof key === 'string' && ownValue(value, key) === undefined)
      : [];
    if (missing.length > 0) fail(`union: invalid token key '${missing.map(String).sort().join(',')}' not found`);
    return keys.map(key => {
      if (typeof key === 'string')
        return isStringMap(value) ? this.#keyOf(value, key) : wrongTarget('union', value, '[map]');
      return typeof key === 'number'
        ? itemOf(value, key, 'union')
        : fail('union: invalid token argument. expected [int string]');
    });
  }

  #rangeOf(value: Value, bounds: readonly (number | Script | undefined)[]): readonly Value[] {
    if (!isList(value)) return wrongTarget('range', value, '[array slice]');
    const [from, to, step = 1] = bounds.map(bound => (typeof bound === 'object' ? this.#intOf(bound, value) : bound));
    if (step === 0) fail('range: invalid token out of range');
    const clamp = (position: number): number =>
      Math.min(value.length, Math.max(0, position < 0 ? value.length + position : position));
    const items = value.slice(clamp(from ?? 0), clamp(to ?? value.length));
    const ordered = step < 0 ? items.toReversed() : items;
    return ordered.filter((_, index) => index % Math.abs(step) === 0);
  }

  #intOf(script: Script, value: Value): number {
    const result = this.#evaluate(script, value);
    return Number.isInteger(result) ? Number(result) : fail('range: invalid token argument. expected [int]');
  }
}

function itemOf(value: Value, index: number, token = 'index'): Value {
  if (!isList(value)) return wrongTarget(token, value, '[array slice]');
  const position = index < 0 ? value.length + index : index;
  if (!(position in value)) return fail(`${token}: invalid token out of range`);
  return value[position] ?? null;
}

function lengthIn(value: Value): Value {
  if (isStringMap(value)) return ownValue(value, 'length') ?? Object.keys(value).length;
  return lengthOf(value) ?? wrongTarget('length', value, '[array map slice string]');
}

function childrenOf(value: Value, token: string): readonly Value[] {
  if (isList(value)) return value;
  return isStringMap(value)
    ? sortedEntries(value).map(([, item]) => item)
    : wrongTarget(token, value, '[array map slice]');
}

const kinds: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'float64',
  boolean: 'bool',
  bigint: 'int64',
};

function wrongTarget(token: string, value: Value, expected: string): never {
  const kind = value === null ? 'nil' : isList(value) ? 'slice' : (kinds[typeof value] ?? 'map');
  return fail(`${token}: invalid token target. expected ${expected} got [${kind}]`);
}
