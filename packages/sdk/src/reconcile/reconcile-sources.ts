import type { KubeObject } from '@chandlery/api';
import { type AccessRequest, type ClusterRequest, tenantNamespace } from '@chandlery/clusters/kinds';
import { findCondition, type Informer, keyOf, type WatchSource } from '@chandlery/runtime';
import type { Access } from '../access/access.ts';
import type { ConfigObject } from '../definition/config-kind.ts';
import type { ServiceObject } from '../definition/service-kind.ts';
import { sdkNames } from '../model/names.ts';

/** The index of service objects by the platform's namespace of their control plane. */
export const byTenantNamespace = {
  tenantNamespace: ({ metadata: { namespace = '', name = '' } }: KubeObject): readonly string[] => [
    tenantNamespace(namespace, name),
  ],
};

/**
 * Maps changed requests to service objects: to the object of the request, or to all objects when it belongs to the
 * provider.
 */
export function requestSources(
  access: Access,
  services: Informer<ServiceObject>,
): readonly [WatchSource<AccessRequest>, WatchSource<ClusterRequest>] {
  const ofControlPlane = ({ metadata }: KubeObject): readonly string[] =>
    services.byIndex('tenantNamespace', metadata.namespace ?? '').map(keyOf);
  const ofAccess = (request: KubeObject): readonly string[] => {
    const key = request.metadata.annotations?.[sdkNames.objectAnnotation];
    return key === undefined ? services.list().map(keyOf) : [key];
  };
  return [
    { informer: access.accessRequests, mapToKeys: ofAccess },
    { informer: access.clusterRequests, mapToKeys: ofControlPlane },
  ];
}

/** Calls back for each change of a configuration's spec or readiness; other changes are ignored. */
export function onConfigChange(configs: Informer<ConfigObject>, changed: (name: string) => void): () => void {
  const tell = ({ metadata }: KubeObject): void => changed(metadata.name ?? '');
  return configs.listen({
    added: tell,
    updated: (config, previous) => {
      const isNew = config.metadata.generation !== previous.metadata.generation;
      if (isNew || readinessOf(config) !== readinessOf(previous)) tell(config);
    },
    deleted: tell,
  });
}

function readinessOf(config: KubeObject): string {
  const { status = '', message = '' } = findCondition(config, 'Ready') ?? {};
  return `${status} ${message}`;
}
