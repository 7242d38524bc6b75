import { Resolver } from 'node:dns/promises';
import type { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Informer } from '@chandlery/runtime';
import type { EndpointsProvider } from '../../ports/endpoints.ts';
import { ApiLink, type LinkTuning } from '../api-link.ts';
import { createTableProvider } from '../create-table-provider.ts';
import { EndpointTable } from '../endpoint-table.ts';
import { MicrotaskBatch } from '../microtask-batch.ts';
import { DnsNames, type DnsNamesOptions } from './dns-names.ts';
import { compactService, type ExternalService, endpointsOf } from './external-service.ts';
import type { DnsResolver } from './look-up-name.ts';

export interface DnsEndpointsOptions extends Omit<DnsNamesOptions, 'resolver' | 'onAnswer'> {
  /** Client of the cluster of the services. Not disposed of. */
  readonly client: Client;
  /** Its name in the mesh. */
  readonly cluster: string;
  /** Region of the cluster. Default: unknown. */
  readonly region?: string;
  /** Default: the system resolver, with a timeout of 5 s and two attempts. */
  readonly resolver?: DnsResolver;
  /** Called with errors of the API, which are retried. Default: not called. */
  readonly onError?: (error: ChandleryError) => void;
  readonly tuning?: LinkTuning;
}

const servicesRef = { group: '', version: 'v1', plural: 'services' };
const hostIndex = 'host';

/**
 * Provides the endpoints of Services of type ExternalName. Addresses are resolved by DNS, with the ports of the Service
 * or, if `srvAnnotation` names SRV records, those of the records.
 */
export function createDnsEndpoints(options: DnsEndpointsOptions): EndpointsProvider {
  const { cluster } = options;
  const link = new ApiLink({ ...options, name: `cluster "${cluster}"` });
  const table = new EndpointTable(options.onError);
  const reader = new NameReader(options, link, table);
  return createTableProvider({
    id: `dns/${cluster}`,
    table,
    ready: reader.ready,
    staleReason: () => link.staleReason ?? describeFailures(reader.names.listFailures()),
    async end() {
      await link[Symbol.asyncDispose]();
      reader.names[Symbol.dispose]();
    },
  });
}

class NameReader {
  readonly names: DnsNames;
  readonly ready: Promise<void>;
  readonly #options: DnsEndpointsOptions;
  readonly #table: EndpointTable;
  readonly #services: Informer<ExternalService>;
  readonly #changed = new MicrotaskBatch(keys => this.#update(keys));

  constructor(options: DnsEndpointsOptions, link: ApiLink, table: EndpointTable) {
    this.#options = options;
    this.#table = table;
    const { resolver = new Resolver({ timeout: 5000, tries: 2 }) } = options;
    this.names = new DnsNames({ ...options, resolver, onAnswer: host => this.#noteAnswer(host) });
    this.#services = link.watch<ExternalService>({
      ref: servicesRef,
      fieldSelector: 'spec.type=ExternalName',
      indexes: { [hostIndex]: ({ host }) => [host] },
      transform: compactService,
    });
    const note = ({ host, key }: ExternalService): void => this.#noteService(host, key);
    this.#services.listen({
      added: note,
      updated: (service, before) => {
        note(service);
        note(before);
      },
      deleted: note,
    });
    this.ready = this.#readAll();
  }

  async #readAll(): Promise<void> {
    await this.#services.synced;
    await this.names.settled();
    this.#update(new Set(this.#services.list().map(({ key }) => key)));
  }

  /** Watches the host while a service uses it. */
  #noteService(host: string, key: string): void {
    const isWanted = host !== '' && this.#services.byIndex(hostIndex, host).length > 0;
    if (isWanted) this.names.watch(host);
    else this.names.forget(host);
    this.#changed.add(key);
  }

  #noteAnswer(host: string): void {
    for (const { key } of this.#services.byIndex(hostIndex, host)) this.#changed.add(key);
  }

  /** A service whose host was never resolved keeps the endpoints of its previous host. */
  #update(keys: ReadonlySet<string>): void {
    const { cluster, region } = this.#options;
    const where = { cluster, ...(region && { region }) };
    this.#table.replace(
      [...keys].flatMap(key => {
        const [namespace, name = ''] = key.split('/');
        const service = this.#services.get(namespace, name);
        if (service === undefined) return [[key, []] as const];
        const answer = this.names.answerOf(service.host);
        return answer === undefined ? [] : [[key, endpointsOf(service, answer.targets, where)] as const];
      }),
    );
  }
}

function describeFailures(failures: ReturnType<DnsNames['listFailures']>): string | undefined {
  const [first] = failures;
  if (first === undefined) return undefined;
  const [name, why] = first;
  return failures.length === 1
    ? `the name "${name}" cannot be resolved: ${why}`
    : `${failures.length} names cannot be resolved, such as "${name}": ${why}`;
}
