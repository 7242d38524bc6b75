import type { KubeObject } from '@chandlery/api';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { stateOf } from '../cluster/instance-namespace.ts';
import { firstPortName, readyEndpoints } from '../cluster/ready-endpoints.ts';
import { domainOf, hasRoute } from '../reconcile/observe-instance.ts';
import type { Backend } from './sni-router.ts';

/** The DNS names of instances and the Services behind them, as the cluster has them: known without a control plane. */
export class RouteTable {
  readonly #view: Pick<ClusterView, 'namespaceOf' | 'objects'>;
  readonly #services = new Map<string, KubeObject>();
  readonly #domains = new Map<string, readonly string[]>();

  constructor(view: Pick<ClusterView, 'namespaceOf' | 'objects'>) {
    this.#view = view;
  }

  /** Reads the routes of an instance again. */
  refresh(instanceId: string): void {
    for (const domain of this.#domains.get(instanceId) ?? []) this.#services.delete(domain);
    const namespace = this.#view.namespaceOf(instanceId);
    const { host = '' } = namespace === undefined ? {} : stateOf(namespace);
    const services =
      host === '' ? [] : this.#view.objects('v1/Service', namespace?.metadata.name ?? '').filter(hasRoute);
    for (const service of services) this.#services.set(domainOf(service, host), service);
    if (services.length === 0) this.#domains.delete(instanceId);
    else
      this.#domains.set(
        instanceId,
        services.map(service => domainOf(service, host)),
      );
  }

  /** A ready endpoint of the Service that has the domain, at the Service's first port. */
  find(domain: string): Backend | undefined {
    const service = this.#services.get(domain);
    return service && readyEndpoints(this.#view, service, firstPortName(service))[0];
  }
}
