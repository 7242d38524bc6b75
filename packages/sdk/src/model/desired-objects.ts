import type { ProviderDefinition } from '../definition/provider-definition.ts';
import type { ServiceContext } from '../definition/service.ts';
import type { ServiceObject } from '../definition/service-kind.ts';
import type { ClusterRole } from '../objects/cluster-connection.ts';
import type { Desired } from '../objects/managed-objects.ts';

/** Returns the objects that should exist on the clusters: the prerequisites of syncs, then those of the provider. */
export function desiredOf(
  definition: ProviderDefinition,
  object: ServiceObject,
  context: ServiceContext,
): readonly Desired[] {
  const own = definition.service.desired?.(object, context) ?? [];
  const prerequisites = prerequisitesOfSyncs(definition, context).filter(
    desired => !own.some(other => idOf(other) === idOf(desired)),
  );
  return [...prerequisites, ...own];
}

/** The kinds on both sides, and the namespace of the copies. */
function prerequisitesOfSyncs(
  { syncs = [], clusters }: ProviderDefinition,
  context: ServiceContext,
): readonly Desired[] {
  if (syncs.length === 0) return [];
  const namespace: Desired = {
    cluster: 'workload',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: context.instanceNamespace } },
  };
  const roles = (['mcp', 'workload'] as const).filter((role: ClusterRole) => clusters?.[role] !== undefined);
  const kinds = syncs.flatMap(({ kind }) => roles.map((cluster): Desired => ({ cluster, object: kind.crd })));
  return [namespace, ...kinds];
}

const idOf = ({ cluster, object: { apiVersion, kind, metadata } }: Desired): string =>
  [cluster, apiVersion, kind, metadata.namespace ?? '', metadata.name].join('/');
