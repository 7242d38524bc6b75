import type { KubeObject } from '@chandlery/api';
import {
  type Cluster,
  type ClusterRequest,
  clusterRequests,
  clusters,
  hash8,
  tenantNamespace,
} from '@chandlery/clusters/kinds';
import { controlPlanes } from '@chandlery/providers/kinds';
import { instanceIdOf, sdkNames, sharedKeyOf } from '../model/names.ts';
import { adoptedFrom, catalogueLabel, isServiceInstance, linkLabelsOf } from './label-links.ts';
import { logicalNameOf, onboardingName, type Placed, platformName } from './links.ts';
import { namedBy } from './named-links.ts';
import { mergeLookups, type ObjectLookup } from './object-lookup.ts';
import { isServiceObject, isTenant, lookupsOfTenant } from './tenant-links.ts';

/** What has to be looked up to know what an object caused. */
export interface NodeLookups {
  /** On the cluster of the object. */
  readonly here: ObjectLookup;
  /** On the platform cluster. Default: nothing. */
  readonly platform?: ObjectLookup;
  /** On every cluster that the trace may lead to. Default: nothing. */
  readonly everywhere?: ObjectLookup;
}

const groupOf = ({ apiVersion }: KubeObject): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
const hasFinalizer = ({ metadata: { finalizers = [] } }: KubeObject, name: string): boolean =>
  finalizers.includes(name);

/** Its instance is in the same namespace. */
const isServiceBinding = ({ kind, apiVersion }: KubeObject): boolean =>
  kind === 'ServiceBinding' && apiVersion.startsWith('brokers.chandlery.io/');

/** The lookups that find what `causedBy` finds in a whole landscape. Pure. */
export function lookupsOf(placed: Placed): NodeLookups {
  const { cluster, object } = placed;
  const here = { owners: [object.metadata.uid ?? ''].filter(uid => uid !== ''), objects: namedBy(object) };
  const labels = linkLabelsOf(object);
  if (labels !== undefined) return { here, everywhere: { labelSelectors: [selectorOf(labels)] } };
  if (isServiceInstance(object)) return ofInstance(object, here);
  if (isServiceBinding(object)) return { here: { ...here, namespaces: [object.metadata.namespace ?? ''] } };
  if (cluster === platformName) return { here, ...ofPlatformObject(object) };
  if (isTenant(object)) {
    const { here: inside, platform } = lookupsOfTenant(object);
    return { here: mergeLookups(here, inside), platform };
  }
  if (cluster !== onboardingName || object.metadata.namespace === undefined) return { here };
  const { namespace, name = '' } = object.metadata;
  if (object.kind === controlPlanes.kind) return { here, platform: { namespaces: [tenantNamespace(namespace, name)] } };
  if (!isServiceObject(object)) return { here };
  return {
    here,
    platform: { groups: [groupOf(object)] },
    everywhere: { labelSelectors: [`${sdkNames.instanceLabel}=${instanceIdOf({ namespace, name })}`] },
  };
}

const selectorOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** Bindings are in the namespace of their instance. */
function ofInstance(instance: KubeObject, here: ObjectLookup): NodeLookups {
  const { namespace = '', name = '' } = instance.metadata;
  return {
    here: {
      ...here,
      namespaces: [namespace].filter(text => text !== ''),
      objects: [...(here.objects ?? []), ...adoptedFrom(instance)],
    },
    everywhere: { labelSelectors: [`${catalogueLabel}=${name}`] },
  };
}

function ofPlatformObject(object: KubeObject): Pick<NodeLookups, 'platform' | 'everywhere'> {
  const { namespace, name = '' } = object.metadata;
  if (object.kind === clusterRequests.kind) {
    const given = (object as ClusterRequest).status?.cluster;
    return given === undefined
      ? {}
      : { platform: { objects: [{ group: groupOf(object), kind: clusters.kind, ...given }] } };
  }
  if (object.kind === clusters.kind) {
    const served = { group: 'core.chandlery.io', kind: 'LogicalCluster', name: logicalNameOf(object as Cluster) };
    return { platform: { objects: [served] } };
  }
  const isConfig = ['in-use', 'shared'].some(purpose => hasFinalizer(object, `${groupOf(object)}/${purpose}`));
  if (namespace !== undefined || !isConfig) return {};
  return { everywhere: { labelSelectors: [`${sdkNames.instanceLabel}=${hash8(sharedKeyOf(name))}`] } };
}

/** The objects that several service objects of a provider share: they have no label for each of them. */
export const sharedSelector = (manager: string): string =>
  `${sdkNames.managedByLabel}=${manager},!${sdkNames.instanceLabel}`;

/** The provider that made an object for a service object; undefined for other objects. */
export const managerOf = ({ metadata: { labels } }: KubeObject): string | undefined =>
  labels?.[sdkNames.instanceLabel] === undefined ? undefined : labels[sdkNames.managedByLabel];
