import type { HttpHost } from '@chandlery/http';
import { type AccountRouteOptions, accountPath, workloadOf } from './account-route.ts';

export interface TrustRouteOptions extends AccountRouteOptions {
  /** Port on which this replica serves proxies. */
  readonly xdsPort: number;
}

/**
 * `GET /mesh/v1/clusters/{c}/namespaces/{ns}/serviceaccounts/{sa}/trust`: returns the current trust bundle of the
 * workload, its mesh, and the port for its proxies. Agents poll it, and request a new certificate when `trustVersion`
 * differs from that of theirs.
 */
export function addTrustRoute(host: HttpHost, options: TrustRouteOptions): void {
  host.app.get(`${accountPath}/trust`, async request => {
    const { tenant } = await workloadOf(request, options);
    const { trustVersion, trustBundle, trustDomain } = options.authority;
    return { trustVersion, trustBundle, trustDomain, tenant, xdsPort: options.xdsPort };
  });
}
