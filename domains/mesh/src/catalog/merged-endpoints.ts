import type { Endpoint } from '../model/endpoint.ts';
import { mergeEndpoints } from '../model/endpoints/merge-endpoints.ts';
import { parseServiceKey, type ServiceKey } from '../model/service-name.ts';
import type { EndpointsProvider, Unsubscribe } from '../ports.ts';
import { ContentSum } from './content-sum.ts';

/** A change of the endpoints of a service. */
export interface EndpointsChange {
  readonly service: ServiceKey;
  /** Whether an endpoint was removed or became unhealthy. */
  readonly isUrgent: boolean;
  /** Service accounts (`namespace/name`) that began or ceased to back the service. */
  readonly changedAccounts: ReadonlySet<string>;
}

interface Known {
  readonly endpoints: readonly Endpoint[];
  /** `namespace/name`, sorted. */
  readonly accounts: readonly string[];
}

const nothing: Known = { endpoints: [], accounts: [] };

/** Called with the lists of all providers, in their order, whenever a service is read. */
export type OnRead = (service: ServiceKey, lists: readonly (readonly Endpoint[])[]) => void;

/**
 * The endpoints of all providers, merged, with the service accounts behind them. The cost of a change is proportional
 * to the size of its service.
 */
export class MergedEndpoints implements Disposable {
  readonly #providers: readonly EndpointsProvider[];
  readonly #known = new Map<ServiceKey, Known>();
  readonly #servicesOf = new Map<string, Set<ServiceKey>>();
  readonly #content = new ContentSum();
  readonly #onChange: (changes: readonly EndpointsChange[]) => void;
  readonly #onRead: OnRead | undefined;
  readonly #unsubscribe: readonly Unsubscribe[];

  /** All providers must be synced. */
  constructor(
    providers: readonly EndpointsProvider[],
    onChange: (changes: readonly EndpointsChange[]) => void,
    { onRead }: { readonly onRead?: OnRead } = {},
  ) {
    this.#onRead = onRead;
    this.#providers = providers;
    this.#onChange = onChange;
    this.#unsubscribe = providers.map(provider => provider.subscribe(changed => this.#update(changed)));
    for (const key of new Set(providers.flatMap(provider => [...provider.listServices()]))) this.#read(key);
  }

  /** Version of all endpoints. */
  get version(): string {
    return this.#content.text;
  }

  of(service: ServiceKey): readonly Endpoint[] {
    return (this.#known.get(service) ?? nothing).endpoints;
  }

  /** The accounts behind a service, `namespace/name`, sorted. */
  accountsOf(service: ServiceKey): readonly string[] {
    return (this.#known.get(service) ?? nothing).accounts;
  }

  /** The services that an account backs. */
  servicesOf(account: string): Iterable<ServiceKey> {
    return this.#servicesOf.get(account) ?? [];
  }

  [Symbol.dispose](): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #update(keys: readonly ServiceKey[]): void {
    const changes: EndpointsChange[] = [];
    for (const key of new Set(keys)) {
      const before = this.#known.get(key) ?? nothing;
      const after = this.#read(key);
      if (isSame(before.endpoints, after.endpoints)) continue;
      changes.push({
        service: key,
        isUrgent: losesTraffic(before.endpoints, after.endpoints),
        changedAccounts: new Set(before.accounts).symmetricDifference(new Set(after.accounts)),
      });
    }
    if (changes.length > 0) this.#onChange(changes);
  }

  #read(key: ServiceKey): Known {
    const service = parseServiceKey(key);
    if (service === undefined) return nothing;
    const lists = this.#providers.map(provider => provider.listEndpointsForService(service));
    this.#onRead?.(key, lists);
    const endpoints = mergeEndpoints(lists);
    const names = endpoints.flatMap(({ serviceAccount }) => serviceAccount ?? []);
    const accounts = [...new Set(names)].sort().map(name => `${service.namespace}/${name}`);
    const known = { endpoints, accounts };
    this.#indexAccounts(key, this.#known.get(key) ?? nothing, known);
    if (endpoints.length === 0) this.#known.delete(key);
    else this.#known.set(key, known);
    this.#content.set(key, endpoints.length === 0 ? undefined : endpoints.map(textOf).join('\n'));
    return known;
  }

  #indexAccounts(key: ServiceKey, before: Known, after: Known): void {
    for (const account of before.accounts) {
      const services = this.#servicesOf.get(account);
      services?.delete(key);
      if (services?.size === 0) this.#servicesOf.delete(account);
    }
    for (const account of after.accounts) {
      const services = this.#servicesOf.get(account) ?? new Set();
      this.#servicesOf.set(account, services.add(key));
    }
  }
}

const addressOf = ({ ip, port }: Endpoint): string => `${ip} ${port}`;

/** All fields of an endpoint that are sent to proxies or evaluated by policies. */
const textOf = (endpoint: Endpoint): string =>
  [
    addressOf(endpoint),
    endpoint.portName,
    endpoint.health,
    endpoint.cluster,
    endpoint.region ?? '',
    endpoint.zone ?? '',
    endpoint.weight ?? 1,
    endpoint.serviceAccount ?? '',
    endpoint.accountCluster ?? '',
  ].join(' ');

const isSame = (before: readonly Endpoint[], after: readonly Endpoint[]): boolean =>
  before.length === after.length &&
  before.every((endpoint, index) => {
    const other = after[index];
    return other === endpoint || (other !== undefined && textOf(other) === textOf(endpoint));
  });

/** Whether an address that was healthy is removed or no longer healthy. */
function losesTraffic(before: readonly Endpoint[], after: readonly Endpoint[]): boolean {
  const fit = new Set(after.filter(({ health }) => health === 'healthy').map(addressOf));
  return before.some(endpoint => endpoint.health === 'healthy' && !fit.has(addressOf(endpoint)));
}
