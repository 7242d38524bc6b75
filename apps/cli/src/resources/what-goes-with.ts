import { isRecord, type KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import type { ServedKind } from './discover.ts';
import type { Scope, Target } from './scope.ts';

/** More objects of a kind are counted as "at least". */
const maxCounted = 200;
/** More names of a kind are not listed. */
const maxNamed = 5;
/** Kinds that come and go by themselves. */
const passing = new Set(['events', 'leases', 'endpoints', 'endpointslices', 'auditrecords']);
/** Kinds that hold others. */
const containers = new Set(['Namespace', 'CustomResourceDefinition', 'PersistentVolumeClaim', 'LogicalCluster']);

/** Whether the deletion of an object takes more away than the object: a finalizer cleans up elsewhere, or it holds others. */
export const isPrecious = ({ kind }: ServedKind, object: KubeObject | undefined): boolean =>
  containers.has(kind) || object === undefined || (object.metadata.finalizers ?? []).length > 0;

/** What is deleted with an object, a line for each kind: what it owns, and what is in its namespace. */
export async function whatGoesWith(scope: Scope, { kind }: Target, object: KubeObject): Promise<readonly string[]> {
  const found = await Promise.all(
    placesOf(scope, kind, object).map(async place => ({ ...place, objects: await objectsIn(scope, place) })),
  );
  const lines = found.flatMap(({ kind: { kind: name }, objects }) =>
    objects.length === 0 ? [] : [lineOf(name, objects)],
  );
  const finalizers = object.metadata.finalizers ?? [];
  return [...lines, ...(finalizers.length === 0 ? [] : [`what is behind it elsewhere (${finalizers.join(', ')})`])];
}

/** A collection of which all objects go, or those that an object owns. */
interface Place {
  readonly kind: ServedKind;
  readonly ref: ResourceRef;
  readonly owner?: string | undefined;
}

function placesOf({ kinds }: Scope, kind: ServedKind, object: KubeObject): Place[] {
  const listable = onePerResource(kinds.filter(({ verbs, ref }) => verbs.includes('list') && !passing.has(ref.plural)));
  if (kind.kind === 'CustomResourceDefinition') return definedBy(object, listable);
  const namespaced = listable.filter(({ isNamespaced }) => isNamespaced);
  const inside = namespaceOf(kind, object);
  const { namespace, uid } = object.metadata;
  return [
    ...(inside === undefined
      ? []
      : namespaced.map(other => ({ kind: other, ref: { ...other.ref, namespace: inside } }))),
    ...(namespace === undefined
      ? []
      : namespaced.map(other => ({ kind: other, ref: { ...other.ref, namespace }, owner: uid }))),
  ];
}

/** A kind that is served in several versions has the same objects in all. */
const onePerResource = (kinds: readonly ServedKind[]): ServedKind[] => [
  ...new Map(kinds.toReversed().map(kind => [`${kind.ref.plural}.${kind.ref.group}`, kind])).values(),
];

function definedBy(definition: KubeObject, kinds: readonly ServedKind[]): Place[] {
  const [plural = '', ...group] = (definition.metadata.name ?? '').split('.');
  return kinds
    .filter(({ ref }) => ref.plural === plural && ref.group === group.join('.'))
    .map(kind => ({ kind, ref: kind.ref }));
}

/** The namespace that is deleted with an object: itself, or that of a project or workspace. */
function namespaceOf(
  { kind }: ServedKind,
  { metadata, status }: KubeObject & { status?: unknown },
): string | undefined {
  if (kind === 'Namespace') return metadata.name;
  const namespace = isRecord(status) ? status['namespace'] : undefined;
  return typeof namespace === 'string' ? namespace : undefined;
}

/** What may not be listed is not counted. */
async function objectsIn({ client }: Scope, { ref, owner }: Place): Promise<readonly KubeObject[]> {
  const { items } = await client.list(ref, { limit: maxCounted }).catch(() => ({ items: [] }));
  return owner === undefined
    ? items
    : items.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === owner) === true);
}

function lineOf(kind: string, objects: readonly KubeObject[]): string {
  const names = objects.slice(0, maxNamed).map(({ metadata }) => metadata.name ?? '');
  const more = objects.length > maxNamed ? ', …' : '';
  const count = objects.length >= maxCounted ? `at least ${maxCounted}` : String(objects.length);
  return `${count} ${kind}: ${names.join(', ')}${more}`;
}
