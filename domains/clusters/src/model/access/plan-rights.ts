import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@chandlery/api';
import { idOf, type OwnedObject, ownedKinds, type WantedObject } from './owned-objects.ts';

/** One change on a cluster. */
export type RightsChange =
  | { readonly type: 'delete'; readonly found: OwnedObject }
  | { readonly type: 'create'; readonly wanted: WantedObject }
  | { readonly type: 'update'; readonly wanted: WantedObject; readonly found: KubeObject }
  /** The role of a binding is immutable: it is deleted and created again. */
  | { readonly type: 'replace'; readonly wanted: WantedObject; readonly found: KubeObject };

/**
 * Plans the changes from the observed to the desired objects of a request. Deletes first, bindings before their roles,
 * so that no subject has more rights in between than before and after.
 */
export function planRights(wanted: readonly WantedObject[], found: readonly OwnedObject[]): readonly RightsChange[] {
  const wantedIds = new Set(wanted.map(idOf));
  const foundById = new Map(found.map(object => [idOf(object), object.object]));
  const stale = inOrderOfRemoval(found.filter(object => !wantedIds.has(idOf(object))));
  return [
    ...stale.map(object => ({ type: 'delete', found: object }) as const),
    ...wanted.flatMap(object => changeTo(object, foundById.get(idOf(object)))),
  ];
}

/** Bindings, then roles, then service accounts. */
export const inOrderOfRemoval = (objects: readonly OwnedObject[]): readonly OwnedObject[] =>
  objects.toSorted((a, b) => ownedKinds.indexOf(b.kind) - ownedKinds.indexOf(a.kind));

/** The object to write instead of an existing one: the desired content, with labels and annotations of others. */
export function updatedObject(wanted: KubeObject, found: KubeObject): KubeObject {
  const isAccount = wanted.kind === 'ServiceAccount';
  const labels = { ...found.metadata.labels, ...wanted.metadata.labels };
  return { ...(isAccount ? found : wanted), metadata: { ...found.metadata, labels } };
}

function changeTo(wanted: WantedObject, found: KubeObject | undefined): readonly RightsChange[] {
  if (found === undefined) return [{ type: 'create', wanted }];
  if (isDifferent(wanted.object, found, 'roleRef')) return [{ type: 'replace', wanted, found }];
  return isAsWanted(wanted.object, found) ? [] : [{ type: 'update', wanted, found }];
}

function isAsWanted(wanted: KubeObject, found: KubeObject): boolean {
  const hasLabels = Object.entries(wanted.metadata.labels ?? {}).every(
    ([label, value]) => found.metadata.labels?.[label] === value,
  );
  return hasLabels && !['rules', 'subjects', 'aggregationRule'].some(field => isDifferent(wanted, found, field));
}

const isDifferent = (wanted: KubeObject, found: KubeObject, field: string): boolean =>
  !isDeepStrictEqual(withoutEmpty(wanted[field]), withoutEmpty(found[field]));

/** Undefined and an empty list are equal: servers omit either. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const entries = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}
