import { canonicalJson, fieldCause, isRecord, type StructuralSchema } from '@chandlery/api';
import { type Check, checkChild, type Findings, fieldOf, isFull } from './findings.ts';
import { hasField, mapProperties } from './json.ts';
import { maxMapKeys } from './json-limits.ts';

/**
 * Compiles the rules of `x-kubernetes-list-type`: sets hold no value twice, and no two items of a map share their keys.
 * Undefined when there is nothing to check below the schema, so that whole subtrees are skipped.
 */
export function compileListRules(schema: StructuralSchema): Check | undefined {
  const checkFields = compileFieldRules(schema);
  const checkItems = compileItemRules(schema);
  if (checkFields === undefined) return checkItems;
  if (checkItems === undefined) return checkFields;
  return (value, found) => {
    checkFields(value, found);
    checkItems(value, found);
  };
}

function compileFieldRules(schema: StructuralSchema): Check | undefined {
  const rules = new Map([...mapProperties(schema, compileListRules)].filter(([, check]) => check !== undefined));
  const additional = schema.additionalProperties;
  const checkOther = typeof additional === 'object' ? compileListRules(additional) : undefined;
  if (rules.size === 0 && checkOther === undefined) return undefined;
  const isDeclared = new Set(Object.keys(schema.properties ?? {}));
  return (value, found) => {
    if (!isRecord(value)) return;
    for (const key of Object.keys(value)) {
      const check = isDeclared.has(key) ? rules.get(key) : checkOther;
      if (check !== undefined) checkChild(check, value[key], key, found);
    }
  };
}

function compileItemRules(schema: StructuralSchema): Check | undefined {
  const checkItem = schema.items === undefined ? undefined : compileListRules(schema.items);
  const checkList = compileListType(schema);
  if (checkItem === undefined && checkList === undefined) return undefined;
  return (value, found) => {
    if (!Array.isArray(value)) return;
    checkList?.(value, found);
    if (checkItem === undefined) return;
    for (let index = 0; index < value.length && !isFull(found); index++)
      checkChild(checkItem, value[index], index, found);
  };
}

type ListCheck = (list: readonly unknown[], found: Findings) => void;

/** Strategic merge marks lists of built-in kinds. There list types only steer merging: a Node may have two addresses of a type. */
function compileListType(schema: StructuralSchema): ListCheck | undefined {
  if (schema['x-kubernetes-patch-strategy'] !== undefined) return undefined;
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return checkSet;
    case 'map':
      return compileMapType(schema['x-kubernetes-list-map-keys'] ?? []);
    default:
      return undefined;
  }
}

/** Its items are keys of `managedFields`, of which there may be only so many. */
function checkSet(list: readonly unknown[], found: Findings): void {
  if (list.length <= maxMapKeys) checkUnique(list, identifyValue, item => item, found);
  else found.causes.push(fieldCause.tooMany(fieldOf(found), list.length, maxMapKeys));
}

function compileMapType(keys: readonly string[]): ListCheck {
  const requireKeys = compileKeys(keys);
  const identify = (item: unknown): string =>
    isRecord(item) ? identifyKeys(keys.map(key => identifyValue(item[key]))) : identifyValue(item);
  const show = (item: unknown): unknown =>
    isRecord(item) ? Object.fromEntries(keys.filter(key => hasField(item, key)).map(key => [key, item[key]])) : item;
  return (list, found) => {
    for (let index = 0; index < list.length && !isFull(found); index++)
      checkChild(requireKeys, list[index], index, found);
    checkUnique(list, identify, show, found);
  };
}

const compileKeys =
  (keys: readonly string[]): Check =>
  (item, found) => {
    if (!isRecord(item)) return;
    for (const key of keys) {
      if (!hasField(item, key)) found.causes.push(fieldCause.required(`${fieldOf(found)}.${key}`));
    }
  };

/** Different for different lists of texts: each begins with its length, so none can imitate the end of another. */
const identifyKeys = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] ?? '') : texts.map(text => `${text.length}:${text}`).join('');

/** Different for different values. Texts, by far the most common, need no canonical form. */
const identifyValue = (value: unknown): string => (typeof value === 'string' ? `"${value}` : canonicalJson(value));

function checkUnique(
  list: readonly unknown[],
  identify: (item: unknown) => string,
  show: (item: unknown) => unknown,
  found: Findings,
): void {
  if (list.length < 2) return;
  const seen = new Set<string>();
  for (let index = 0; index < list.length; index++) {
    const identity = identify(list[index]);
    if (seen.has(identity) && !isFull(found)) {
      found.causes.push(fieldCause.duplicate(`${fieldOf(found)}[${index}]`, show(list[index])));
    }
    seen.add(identity);
  }
}
