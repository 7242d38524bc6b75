import { canonicalJson, isJsonObject, type KubeObject, parseJson } from '@chandlery/api';
import { isSameJson } from '@chandlery/runtime';

/** The fields of an object that a manager owns: `fieldsV1` of an entry of managedFields. */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

/** The fields that a manager owns by applying an object; undefined when it owns none. */
export function ownedBy(manager: string, { metadata }: KubeObject): FieldSet | undefined {
  const entry = metadata.managedFields?.find(
    ({ manager: name, operation, subresource }) => name === manager && operation === 'Apply' && !subresource,
  );
  return entry?.fieldsV1 as FieldSet | undefined;
}

/** Whether a manager wrote the current value of a label or annotation: a client that changes it becomes its owner. */
export function ownsLabel(manager: string, object: KubeObject, kind: 'labels' | 'annotations', name: string): boolean {
  const marks = ownedBy(manager, object)?.['f:metadata']?.[`f:${kind}`];
  return marks?.[`f:${name}`] !== undefined;
}

/** Removes all entries of managedFields except that of one manager, which is compared later. */
export const keepOwned =
  (manager: string) =>
  <T extends KubeObject>(object: T): T => {
    const { managedFields = [], ...metadata } = object.metadata;
    const own = managedFields.filter(entry => entry.manager === manager && entry.operation === 'Apply');
    return { ...object, metadata: own.length === 0 ? metadata : { ...metadata, managedFields: own } };
  };

/**
 * Projects a value to its owned part, in a form for comparison: list items are matched by their keys, so that neither
 * their order nor items of other managers matter.
 */
export function projectOwned(value: unknown, owned: FieldSet): unknown {
  const elements = Object.keys(owned).filter(element => element !== '.');
  if (elements.length === 0) return value;
  const parts = elements.map(element => {
    const part = partAt(value, element);
    return [element, part === undefined ? undefined : projectOwned(part, owned[element] ?? {})] as const;
  });
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}

/** Whether everything in a value is owned. Otherwise it must be applied again: another manager took a field over. */
export function isAllOwned(value: unknown, owned: FieldSet): boolean {
  const elements = Object.keys(owned).filter(element => element !== '.');
  if (elements.length === 0) return true;
  if (Array.isArray(value)) return value.every(item => isItemOwned(item, elements, owned));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(([name, field]) => {
    if (field === undefined) return true;
    const child = owned[`f:${name}`];
    return child !== undefined && isAllOwned(field, child);
  });
}

/** Whether two values have the same owned fields. */
export const isSameOwned = (a: unknown, b: unknown, owned: FieldSet): boolean =>
  isSameJson(projectOwned(a, owned), projectOwned(b, owned));

function isItemOwned(item: unknown, elements: readonly string[], owned: FieldSet): boolean {
  const element = elements.find(each => isItem(item, each));
  return element !== undefined && isAllOwned(item, owned[element] ?? {});
}

/** The part of a value at a path element: `f:` a field, `k:` and `v:` an item of a list, `i:` a position. */
function partAt(value: unknown, element: string): unknown {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return isJsonObject(value) ? value[rest] : undefined;
  if (!Array.isArray(value)) return undefined;
  return element.startsWith('i:') ? value[Number(rest)] : value.find(item => isItem(item, element));
}

function isItem(item: unknown, element: string): boolean {
  const wanted = parseJson(element.slice(2));
  if (element.startsWith('v:')) return canonicalJson(item) === canonicalJson(wanted);
  // A key with a server-side default may be missing in a desired object.
  if (!element.startsWith('k:') || !isJsonObject(item) || !isJsonObject(wanted)) return false;
  return Object.entries(wanted).every(([name, key]) => item[name] === undefined || isSameJson(item[name], key));
}
