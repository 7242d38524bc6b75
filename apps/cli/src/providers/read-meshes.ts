import { isError, type KubeObject } from '@chandlery/api';
import { nameOfId } from '@chandlery/brokers/kinds';
import { type Landscape, meshesOf, type Placed, type TracedMeshService } from '@chandlery/sdk/trace';
import type { CommandContext } from '../command.ts';
import { connectMesh } from '../mesh/mesh-client.ts';

/** The meshes of an object's instance, as far as the caller may read them. */
export interface ReadMeshes {
  readonly meshes: Landscape;
  readonly isHidden: boolean;
}

const none: ReadMeshes = { meshes: new Map(), isHidden: false };

interface Specified extends KubeObject {
  readonly spec?: { readonly instanceId?: string; readonly referencedInstanceId?: string };
}

/** Reads in which meshes the instance of an object is a service, who may call it there, and through which proxies. */
export async function readMeshes(
  context: CommandContext,
  landscape: Landscape,
  root: Placed | undefined,
): Promise<ReadMeshes> {
  const instance = root && instanceOf(root, landscape);
  if (instance === undefined) return none;
  const { namespace = '', name = '' } = instance.metadata;
  await using mesh = connectMesh(context);
  try {
    const { items } = await mesh.ask<{ items: readonly TracedMeshService[] }>(['instances', namespace, name]);
    return { meshes: meshesOf(`${namespace}/${name}`, items, uidIn(landscape)), isHidden: false };
  } catch (error) {
    if (isError(error, 'Forbidden', 'Unauthorized', 'NotFound')) return { ...none, isHidden: true };
    throw error;
  }
}

/** The instance itself, that of a binding, and of a reference the shared one. */
function instanceOf({ cluster, object }: Placed, landscape: Landscape): KubeObject | undefined {
  if (!object.apiVersion.startsWith('brokers.chandlery.io/')) return undefined;
  const { instanceId, referencedInstanceId } = (object as Specified).spec ?? {};
  const { namespace = '' } = object.metadata;
  const find = (id: string): KubeObject | undefined =>
    landscape.get(cluster)?.find('ServiceInstance', { namespace, name: nameOfId(id) });
  if (object.kind === 'ServiceBinding') {
    const bound = find(instanceId ?? '');
    return bound && instanceOf({ cluster, object: bound }, landscape);
  }
  if (object.kind !== 'ServiceInstance') return undefined;
  return referencedInstanceId === undefined ? object : find(referencedInstanceId);
}

const uidIn =
  (landscape: Landscape) =>
  (kind: string, key: string): string | undefined => {
    const slash = key.indexOf('/');
    const place = { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
    for (const objects of landscape.values()) {
      const found = objects.find(kind, place);
      if (found !== undefined) return found.metadata.uid;
    }
    return undefined;
  };
