import { isError, type JsonValue, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { apply, terminalError } from '@chandlery/runtime';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { contains, hasAppliedContent, withContentDigest } from '../cluster/drift.ts';
import { remember, stateOf } from '../cluster/instance-namespace.ts';
import { type KindResolver, kindIdOf } from '../cluster/kind-resolver.ts';
import { agentNames, fieldManager } from '../model/names.ts';
import { type ExpectedObject, objectId } from '../model/program.ts';

export interface ApplyDeps {
  readonly client: Client;
  readonly view: Pick<ClusterView, 'follow' | 'object' | 'objects'>;
  readonly resolveKind: KindResolver;
}

/** Objects whose rejection only another program can help. */
const hopeless = ['Invalid', 'BadRequest', 'NotFound'] as const;

/**
 * Applies the objects of an instance and deletes those that have left the set. The kinds are remembered first, so that a
 * crash loses track of nothing. Returns the objects as the server has them now.
 */
export async function applyObjects(
  deps: ApplyDeps,
  namespace: KubeObject,
  objects: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const { client, view, resolveKind } = deps;
  const kinds = [...new Set([...stateOf(namespace).kinds, ...objects.map(kindIdOf)])].sort();
  await view.follow(kinds);
  await remember(client, namespace, { kinds });
  const applied: KubeObject[] = [];
  for (const object of objects) {
    const { plural } = await resolveKind(kindIdOf(object));
    applied.push(...(await applyOne(client, plural, object)));
  }
  await prune(deps, namespace, objects);
  return applied;
}

/** Whether the cluster has the objects. Those with secrets are known by their names and the digest of their content. */
export function areInPlace({ view }: Pick<ApplyDeps, 'view'>, objects: readonly ExpectedObject[]): boolean {
  return objects.every(({ object, hasSecrets }) => {
    const { namespace = '', name = '' } = object.metadata;
    const live = view.object(kindIdOf(object), namespace, name);
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return false;
    return hasAppliedContent(live) && (hasSecrets || contains(live, object as unknown as JsonValue));
  });
}

async function applyOne(client: Client, plural: string, object: KubeObject): Promise<readonly KubeObject[]> {
  try {
    return await apply(client, fieldManager, [{ plural, object: withContentDigest(object) }]);
  } catch (error) {
    if (!isError(error, ...hopeless)) throw error;
    const { kind, metadata } = object;
    throw terminalError(`${kind} ${metadata.name ?? ''} was rejected: ${error.message}`, { cause: error });
  }
}

async function prune({ client, view, resolveKind }: ApplyDeps, namespace: KubeObject, objects: readonly KubeObject[]) {
  const { name = '', labels } = namespace.metadata;
  const instanceId = labels?.[agentNames.instanceLabel];
  const wanted = new Set(objects.map(objectId));
  for (const kind of stateOf(namespace).kinds) {
    const ref = await resolveKind(kind);
    for (const object of view.objects(kind, name)) {
      const { metadata } = object;
      const isOurs = metadata.labels?.[agentNames.instanceLabel] === instanceId && !hasOwner(object);
      if (!isOurs || wanted.has(`${kind}/${metadata.name ?? ''}`) || metadata.deletionTimestamp !== undefined) continue;
      await client.delete({ ...ref, namespace: name, name: metadata.name ?? '' }, { propagationPolicy: 'Background' });
    }
  }
}

/** Objects that other objects own carry our labels too, as ReplicaSets and Pods do. */
const hasOwner = ({ metadata }: KubeObject): boolean => (metadata.ownerReferences ?? []).length > 0;
