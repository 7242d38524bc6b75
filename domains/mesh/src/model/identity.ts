/** The identity of a workload: a service account in a namespace of a cluster, in the mesh of a tenant. */
export interface WorkloadIdentity {
  readonly trustDomain: string;
  /** The mesh of the workload; nothing of one tenant is disclosed to another. */
  readonly tenant: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** The identity of a client of the control plane: a proxy of a workload. */
export interface ProxyIdentity extends WorkloadIdentity {
  /** Distinguishes the proxies of one workload. Undefined for a workload that connects with its own certificate. */
  readonly proxyId?: string;
}

const labels = ['tenant', 'cluster', 'ns', 'sa'] as const;

/** `spiffe://<trust domain>/tenant/<t>/cluster/<c>/ns/<ns>/sa/<sa>`, the principal that policies name. */
export const spiffeId = ({ trustDomain, tenant, cluster, namespace, serviceAccount }: WorkloadIdentity): string =>
  `spiffe://${trustDomain}/tenant/${tenant}/cluster/${cluster}/ns/${namespace}/sa/${serviceAccount}`;

/** As {@link spiffeId}, followed by `/proxy/<id>` when the proxy has one. */
export const proxySpiffeId = (identity: ProxyIdentity): string =>
  identity.proxyId === undefined ? spiffeId(identity) : `${spiffeId(identity)}/proxy/${identity.proxyId}`;

/** Returns undefined for anything that {@link proxySpiffeId} does not produce. */
export function parseSpiffeId(uri: string): ProxyIdentity | undefined {
  const match = /^spiffe:\/\/([a-z0-9._-]+)\/(.+)$/.exec(uri);
  const [, trustDomain = '', path = ''] = match ?? [];
  const parts = path.split('/');
  if (parts.length !== 8 && !(parts.length === 10 && parts[8] === 'proxy')) return undefined;
  if (!labels.every((label, index) => parts[index * 2] === label)) return undefined;
  const [, tenant, , cluster, , namespace, , serviceAccount, , proxyId] = parts;
  if (!tenant || !cluster || !namespace || !serviceAccount || proxyId === '') return undefined;
  const identity = { trustDomain, tenant, cluster, namespace, serviceAccount };
  return proxyId === undefined ? identity : { ...identity, proxyId };
}
