import { isDeepStrictEqual } from 'node:util';
import { type ErrorCause, isRecord, type StructuralSchema } from '@chandlery/api';
import { checkChild, isFull, startFindings, tidyCauses } from '../findings.ts';
import { indexByKeys } from '../list-map.ts';
import { evaluateRule, type RuleRun } from './evaluate-rule.ts';
import type { MeterOptions } from './meter.ts';
import { compileRuleTree, type RuleTree } from './rule-tree.ts';

/** What a schema's rules say against an object; `old` is undefined when it is new. Only for objects of valid form. */
export type RuleValidator = (object: unknown, old?: unknown) => ErrorCause[];

/** Compiles the rules of a whole object's schema; undefined when it has none. Rules that cannot be compiled are left out. */
export function compileRuleValidator(schema: StructuralSchema, limits?: MeterOptions): RuleValidator | undefined {
  const forest = compileRuleTree(schema, limits);
  if (forest === undefined) return undefined;
  const { root, meter } = forest;
  return (object, old) => {
    const found = startFindings();
    meter.reset();
    visit({ tree: root, value: object, old, isUnchanged: () => false }, { found, meter, converted: new WeakMap() });
    return tidyCauses(found.causes);
  };
}

/** A value, its old value where there is one, and whether the nearest value with an old value is unchanged. */
interface Place {
  readonly tree: RuleTree;
  readonly value: unknown;
  readonly old: unknown;
  readonly isUnchanged: () => boolean;
}

function visit(place: Place, run: RuleRun): void {
  const { tree, value, old } = place;
  if (value === undefined || value === null || isDone(run)) return;
  const isUnchanged = old === undefined ? place.isUnchanged : once(() => isDeepStrictEqual(value, old));
  const here = { ...place, isUnchanged };
  for (const rule of tree.rules) {
    // What was there before the rule, or before it was checked, may stay.
    if (isDone(run) || (!rule.isTransition && isUnchanged())) continue;
    evaluateRule(rule, tree, { value, old: old ?? undefined }, run);
  }
  if (Array.isArray(value)) visitItems(value, here, run);
  else if (isRecord(value)) visitFields(value, here, run);
}

const isDone = ({ found, meter }: RuleRun): boolean => isFull(found) || meter.isExhausted;

function visitFields(value: Readonly<Record<string, unknown>>, { tree, old, isUnchanged }: Place, run: RuleRun): void {
  const before = isRecord(old) ? old : {};
  const names = tree.other === undefined ? tree.fields.keys() : Object.keys(value);
  for (const name of names) {
    const child = tree.fields.get(name) ?? tree.other;
    if (child === undefined || !Object.hasOwn(value, name)) continue;
    const place = {
      tree: child,
      value: value[name],
      old: Object.hasOwn(before, name) ? before[name] : undefined,
      isUnchanged,
    };
    descend(place, name, run);
  }
}

function visitItems(list: readonly unknown[], { tree, old, isUnchanged }: Place, run: RuleRun): void {
  const { items, itemKeys } = tree;
  if (items === undefined) return;
  const findOld = itemKeys !== undefined && Array.isArray(old) ? indexByKeys(old, itemKeys) : () => undefined;
  for (const [index, value] of list.entries()) {
    if (isDone(run)) return;
    descend({ tree: items, value, old: findOld(value), isUnchanged }, index, run);
  }
}

function descend(place: Place, key: string | number, run: RuleRun): void {
  checkChild(() => visit(place, run), place.value, key, run.found);
}

function once(ask: () => boolean): () => boolean {
  let answer: boolean | undefined;
  return () => (answer ??= ask());
}
