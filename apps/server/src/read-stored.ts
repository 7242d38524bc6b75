import { isError, type KubeObject } from '@chandlery/api';
import { type BehaviourContext, getObject } from '@chandlery/kernel';

/** Reads an object of another cluster as it is stored; undefined when there is none, or no such kind. */
export async function readStored<T extends KubeObject>(
  context: BehaviourContext,
  cluster: string,
  ref: ResourceType,
  place: ObjectPlace,
): Promise<T | undefined> {
  const target = await targetOf(context, cluster, ref, place);
  const found = target && (await getObject(context.deps, target).catch(ignoreNotFound));
  return found && (found.object as T);
}

function ignoreNotFound(error: unknown): undefined {
  if (!isError(error, 'NotFound')) throw error;
}

export interface ObjectPlace {
  /** Default: none, for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
}

export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The address of an object; undefined when the cluster does not serve the kind. */
export async function targetOf(
  { deps }: BehaviourContext,
  cluster: string,
  { group, version, plural }: ResourceType,
  { namespace = '', name }: ObjectPlace,
): Promise<BehaviourContext['target'] | undefined> {
  const resource = (await deps.registry.of(cluster)).resolve(group, version, plural);
  return resource && { cluster, resource, namespace, name };
}
