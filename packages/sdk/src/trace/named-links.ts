import type { KubeObject } from '@chandlery/api';
import { controlPlanes } from '@chandlery/providers/kinds';
import type { Landscape, Placed } from './links.ts';
import type { ObjectAddress } from './object-lookup.ts';

const brokers = 'brokers.chandlery.io';
const fleet = 'fleet.chandlery.io';
/** The namespace of what the landscape offers to all tenants. */
const landscapeOffers = 'service-manager';

interface Naming extends KubeObject {
  readonly spec?: {
    readonly planId?: string;
    readonly referencedInstanceId?: string;
    readonly offeringId?: string;
    readonly product?: string;
  };
  readonly status?: {
    readonly planId?: string;
    readonly clusterId?: string;
    readonly services?: readonly { readonly apiVersion: string; readonly kind: string; readonly name: string }[];
  };
}

/** The objects on its cluster that an object names, and that it cannot work without: what is offered, and where it runs. */
export function namedBy({ kind, apiVersion, metadata, spec = {}, status = {} }: Naming): readonly ObjectAddress[] {
  const { namespace = '' } = metadata;
  switch (`${apiVersion.split('/')[0]} ${kind}`) {
    case `${brokers} ServiceInstance`:
      return [...plansOf(status.planId ?? spec.planId, namespace), ...sharedBy(spec.referencedInstanceId, namespace)];
    case `${brokers} ServicePlan`:
      return spec.offeringId === undefined
        ? []
        : [{ group: brokers, kind: 'ServiceOffering', namespace, name: spec.offeringId }];
    case `${fleet} FleetInstance`:
      return status.clusterId === undefined
        ? []
        : [{ group: fleet, kind: 'FleetCluster', name: `${spec.product}.${status.clusterId}` }];
    case `${controlPlanes.ref.group} ${controlPlanes.kind}`:
      return (status.services ?? []).map(({ apiVersion: served, ...service }) => ({
        group: served.split('/')[0] ?? '',
        namespace,
        ...service,
      }));
    default:
      return [];
  }
}

/** What a tenant offers is in its own namespace. */
const plansOf = (name: string | undefined, namespace: string): readonly ObjectAddress[] =>
  name === undefined
    ? []
    : [...new Set([landscapeOffers, namespace])].map(at => ({
        group: brokers,
        kind: 'ServicePlan',
        namespace: at,
        name,
      }));

/** References lead to instances of their own tenant. */
const sharedBy = (id: string | undefined, namespace: string): readonly ObjectAddress[] =>
  id === undefined ? [] : [{ group: brokers, kind: 'ServiceInstance', namespace, name: id }];

/** Those of them that were found. */
export const namedObjects = ({ cluster, object }: Placed, landscape: Landscape): Placed[] =>
  namedBy(object).flatMap(({ kind, ...place }) => {
    const found = landscape.get(cluster)?.find(kind, place);
    return found === undefined ? [] : [{ cluster, object: found }];
  });
