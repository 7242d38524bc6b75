import type { Endpoint } from '../endpoint.ts';
import { spiffeId, type WorkloadIdentity } from '../identity.ts';
import type { MeshService } from '../mesh-service.ts';
import { parseServiceKey, type ServiceKey, type ServiceName, serviceKey } from '../service-name.ts';
import type { ServiceAccountName, ServiceGrant, TrafficSplit, TrafficTarget } from '../topology.ts';

/** The data of policy decisions, read synchronously from caches. */
export interface PolicyDeps {
  readonly topology: {
    readonly isPermissive: boolean;
    splitOf(root: ServiceName): TrafficSplit | undefined;
    targetsTo(destination: ServiceAccountName): readonly TrafficTarget[];
    targetsFrom(source: ServiceAccountName): readonly TrafficTarget[];
    grantsTo(service: ServiceName): readonly ServiceGrant[];
  };
  readonly services: { getService(service: ServiceName): MeshService | undefined };
  /** Names of all clusters of the mesh. */
  readonly clusters: readonly string[];
  /** All valid trust domains. */
  readonly trustDomains: readonly string[];
  endpointsOf(service: ServiceName): readonly Endpoint[];
  /** The accounts behind a service, `namespace/name`. */
  accountsOf(service: ServiceName): readonly string[];
  /** The services that an account backs. */
  servicesOf(account: string): Iterable<ServiceKey>;
}

/** The SPIFFE ids of accounts on every cluster and in every trust domain of the mesh, sorted. */
export function principalsOf(
  accounts: readonly ServiceAccountName[],
  tenant: string,
  { clusters, trustDomains }: Pick<PolicyDeps, 'clusters' | 'trustDomains'>,
): string[] {
  const ids = accounts.flatMap(({ namespace, name: serviceAccount }) =>
    clusters.flatMap(cluster =>
      trustDomains.map(trustDomain => spiffeId({ trustDomain, tenant, cluster, namespace, serviceAccount })),
    ),
  );
  return [...new Set(ids)].sort();
}

/** The account of a workload, independent of its cluster. */
export const accountOf = ({ namespace, serviceAccount }: WorkloadIdentity): ServiceAccountName => ({
  namespace,
  name: serviceAccount,
});

/** The accounts behind a service. */
export const accountsBehind = (service: ServiceName, deps: PolicyDeps): ServiceAccountName[] =>
  deps.accountsOf(service).flatMap(account => parseServiceKey(account) ?? []);

/** Names the accounts behind a service in a sentence. */
export const accountsText = (accounts: readonly ServiceAccountName[], service: string): string =>
  `${accounts.map(serviceKey).join(' or ')}, the ${accounts.length === 1 ? 'account' : 'accounts'} behind ${service}`;

/** The targets that allow an account to call another one. */
export const targetsBetween = (
  source: ServiceAccountName,
  destination: ServiceAccountName,
  { topology }: Pick<PolicyDeps, 'topology'>,
): TrafficTarget[] =>
  topology
    .targetsTo(destination)
    .filter(({ sources }) =>
      sources.some(({ namespace, name }) => namespace === source.namespace && name === source.name),
    );

/** An account on a cluster; on any cluster when it is undefined. */
export interface Caller extends ServiceAccountName {
  readonly cluster?: string;
}

/** The bindings that give an account access to a service. */
export const grantsBetween = (
  caller: Caller,
  service: ServiceName,
  { topology }: Pick<PolicyDeps, 'topology'>,
): ServiceGrant[] =>
  topology
    .grantsTo(service)
    .filter(
      ({ consumer, cluster }) =>
        consumer.namespace === caller.namespace &&
        consumer.name === caller.name &&
        (cluster === undefined || caller.cluster === undefined || cluster === caller.cluster),
    );
