import type { KubeObject } from '@chandlery/api';
import { controlPlanes, tenantsGroup } from '@chandlery/providers/kinds';
import { catalogueLabel, isServiceInstance } from './label-links.ts';
import type { Landscape, Placed } from './links.ts';
import type { ObjectAddress, ObjectLookup } from './object-lookup.ts';

interface Tenant extends KubeObject {
  readonly status?: { readonly namespace?: string; readonly cluster?: { readonly name: string } };
}

const groupOf = ({ apiVersion }: KubeObject): string => apiVersion.split('/')[0] ?? '';

/** Whether an object is a project or a workspace. */
export const isTenant = (object: KubeObject): boolean =>
  groupOf(object) === tenantsGroup && (object.kind === 'Project' || object.kind === 'Workspace');

/** Whether a provider maintains an object: it puts its finalizer on it before it makes anything for it. */
export const isServiceObject = (object: KubeObject): boolean =>
  (object.metadata.finalizers ?? []).includes(`${groupOf(object)}/finalizer`);

const namespaceOf = ({ status }: Tenant): string => status?.namespace ?? '';

/** The tenant's own API. */
const clusterOf = ({ status }: Tenant): readonly ObjectAddress[] =>
  status?.cluster === undefined
    ? []
    : [{ group: 'core.chandlery.io', kind: 'LogicalCluster', name: status.cluster.name }];

/** What has to be looked up to know what a tenant has. */
export function lookupsOfTenant(tenant: KubeObject): { readonly here: ObjectLookup; readonly platform: ObjectLookup } {
  const namespaces = [namespaceOf(tenant)].filter(name => name !== '');
  return {
    here: { namespaces, objects: namespaces.map(name => ({ group: '', kind: 'Namespace', name })) },
    platform: { objects: clusterOf(tenant) },
  };
}

/**
 * A tenant causes its namespace, the workspaces, control planes and services in it, and its own API on the platform
 * cluster, whose name is given.
 */
export function ofTenant({ cluster, object }: Placed, landscape: Landscape, platform: string): readonly Placed[] {
  if (!isTenant(object)) return [];
  const namespace = namespaceOf(object);
  const here = landscape.get(cluster);
  const home = here?.find('Namespace', { name: namespace });
  const inside = namespace === '' ? [] : (here?.inNamespace(namespace) ?? []);
  const served = clusterOf(object).flatMap(({ kind, name }) => landscape.get(platform)?.find(kind, { name }) ?? []);
  return [
    ...[...(home === undefined ? [] : [home]), ...inside.filter(isOfTenant)].map(found => ({ cluster, object: found })),
    ...served.map(found => ({ cluster: platform, object: found })),
  ];
}

/** What is behind an instance of the catalogue is shown there. */
const isOfTenant = (object: KubeObject): boolean =>
  isTenant(object) ||
  object.kind === controlPlanes.kind ||
  isServiceInstance(object) ||
  (isServiceObject(object) && object.metadata.labels?.[catalogueLabel] === undefined);
