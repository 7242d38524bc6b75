import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { retainedNames } from '../../kinds/index.ts';
import type { HeldRequest } from '../../model/retained-services/held-requests.ts';
import { type Ending, fateOf, type KeptKind, keptKindsOf } from '../../model/retained-services/kept-kinds.ts';
import type { RetainedDeps } from './retained-deps.ts';

interface Kept {
  readonly ref: ObjectRef;
  readonly object: KubeObject;
  readonly isShared: boolean;
}

const labelSelector = `${retainedNames.handedOverLabel}=true`;

/** Deletes what a service left on the cluster of an AccessRequest. Returns what still exists. */
export async function endObjects(
  request: HeldRequest,
  ending: Ending,
  { open }: Pick<RetainedDeps, 'open'>,
): Promise<readonly string[]> {
  const kinds = keptKindsOf(request.object);
  if (kinds.length === 0) return [];
  await using client = await open(request);
  if (client === undefined) return [];
  const objects = (await findKept(client, kinds, ending)).filter(({ object }) => object.kind !== 'Namespace');
  for (const kept of objects) await endObject(client, kept, ending);
  // Objects in a namespace are deleted before it.
  const all = await findKept(client, kinds, ending);
  const namespaces = all.filter(({ object }) => object.kind === 'Namespace');
  if (all.length === namespaces.length) for (const kept of namespaces) await endObject(client, kept, ending);
  return (await findKept(client, kinds, ending)).map(({ object }) => titleOf(object)).sort();
}

async function findKept(client: Client, kinds: readonly KeptKind[], ending: Ending): Promise<readonly Kept[]> {
  const found: Kept[] = [];
  for (const kind of kinds) {
    for (const object of await list(client, kind)) {
      const fate = fateOf(object, ending);
      const { name = '', namespace } = object.metadata;
      const ref = { ...kind, name, ...(namespace === undefined ? {} : { namespace }) };
      if (fate !== 'keep') found.push({ ref, object, isShared: fate === 'leave' });
    }
  }
  return found;
}

async function list(client: Client, kind: KeptKind): Promise<readonly KubeObject[]> {
  try {
    const { items, kind: listKind } = await client.list(kind, { labelSelector });
    // Kubernetes leaves out the type of listed objects.
    return items.map(item => ({ ...item, kind: item.kind || listKind.replace(/List$/, '') }));
  } catch (error) {
    if (isError(error, 'NotFound')) return [];
    throw error;
  }
}

async function endObject(client: Client, { ref, object, isShared }: Kept, { userAnnotation }: Ending): Promise<void> {
  const { uid, resourceVersion, deletionTimestamp } = object.metadata;
  try {
    if (isShared) {
      const body = { metadata: { uid, annotations: { [userAnnotation]: null } } };
      await client.patch(ref, { type: 'merge', body });
    } else if (deletionTimestamp === undefined) {
      await client.delete(ref, { propagationPolicy: 'Background', preconditions: { uid, resourceVersion } });
    }
  } catch (error) {
    if (!isError(error, 'NotFound')) throw error;
  }
}

const titleOf = ({ kind, metadata: { namespace, name } }: KubeObject): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
