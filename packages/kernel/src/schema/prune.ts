import { isRecord, type StructuralSchema } from '@chandlery/api';
import { type FieldPath, formatFieldPath } from './field-path.ts';
import { withImpliedFields } from './implied-fields.ts';
import { type JsonRecord, mapProperties } from './json.ts';

export interface PruneResult<T> {
  /** The object that was given, changed in place. */
  readonly object: T;
  /** The fields that were dropped, as `spec.items[0].foo`; the first hundred of them. */
  readonly pruned: readonly string[];
}

/** Drops what the schema does not know. Works in place: the caller has just decoded the object and owns it. */
export type Pruner = <T>(object: T) => PruneResult<T>;

/** An answer names so many unknown fields; the others are dropped all the same. */
const maxReported = 100;

interface Run {
  readonly path: FieldPath;
  readonly pruned: string[];
}

type Prune = (value: unknown, run: Run) => void;

/** Compiles the schema of a whole object. Unknown metadata is dropped too, whatever the schema preserves. */
export const compilePruner = (schema: StructuralSchema): Pruner => toPruner(compilePrune(withImpliedFields(schema)));

/** Compiles the schema of any value, without implied fields. */
export const compileValuePruner = (schema: StructuralSchema): Pruner => toPruner(compilePrune(schema));

function toPruner(prune: Prune | undefined): Pruner {
  return object => {
    const run: Run = { path: [], pruned: [] };
    prune?.(object, run);
    return { object, pruned: run.pruned };
  };
}

const scalarTypes: ReadonlySet<string | undefined> = new Set(['string', 'integer', 'number', 'boolean']);

/** Undefined when there is nothing to prune, so that whole subtrees are skipped. A list hands `isInPreserved` to its items. */
function compilePrune(declared: StructuralSchema, isInPreserved = false): Prune | undefined {
  if (scalarTypes.has(declared.type) || declared['x-kubernetes-int-or-string'] === true) return undefined;
  const schema = declared['x-kubernetes-embedded-resource'] === true ? withImpliedFields(declared) : declared;
  const preserves = isInPreserved || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const pruneObject = schema.type === 'array' ? undefined : compileObject(schema, preserves);
  const pruneItem = schema.type === 'object' ? undefined : compileItem(schema, preserves);
  if (pruneObject === undefined && pruneItem === undefined) return undefined;
  return (value, run) => {
    if (Array.isArray(value)) pruneList(value, pruneItem, run);
    else if (isRecord(value)) pruneObject?.(value, run);
  };
}

/** Items that nothing is said about keep no fields. */
function compileItem(schema: StructuralSchema, preserves: boolean): Prune | undefined {
  if (schema.items !== undefined) return compilePrune(schema.items, preserves);
  return preserves ? undefined : pruneUnspecified;
}

function pruneUnspecified(value: unknown, run: Run): void {
  if (Array.isArray(value)) pruneList(value, pruneUnspecified, run);
  else if (isRecord(value)) for (const key of Object.keys(value)) drop(value, key, run);
}

function pruneList(list: readonly unknown[], pruneItem: Prune | undefined, run: Run): void {
  if (pruneItem === undefined) return;
  for (let index = 0; index < list.length; index++) pruneChild(pruneItem, list[index], index, run);
}

function compileObject(
  schema: StructuralSchema,
  preserves: boolean,
): ((object: JsonRecord, run: Run) => void) | undefined {
  const fields = mapProperties(schema, property => compilePrune(property));
  const additional = schema.additionalProperties;
  const pruneOther = typeof additional === 'object' ? compilePrune(additional) : undefined;
  const keepsOthers = preserves || additional === true || typeof additional === 'object';
  const isIdle = keepsOthers && pruneOther === undefined && [...fields.values()].every(prune => prune === undefined);
  if (isIdle) return undefined;
  return (object, run) => {
    for (const key of Object.keys(object)) {
      if (!fields.has(key) && !keepsOthers) drop(object, key, run);
      else pruneChild(fields.has(key) ? fields.get(key) : pruneOther, object[key], key, run);
    }
  };
}

function pruneChild(prune: Prune | undefined, value: unknown, key: string | number, run: Run): void {
  if (prune === undefined || typeof value !== 'object') return;
  run.path.push(key);
  prune(value, run);
  run.path.pop();
}

function drop(object: JsonRecord, key: string, run: Run): void {
  delete object[key];
  if (run.pruned.length < maxReported) run.pruned.push(formatFieldPath([...run.path, key]));
}
