import type { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Informer } from '@chandlery/runtime';
import { type VirtualMachineSet, virtualMachineSets } from '../../kinds/virtual-machine-set.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { type ServiceKey, serviceKey } from '../../model/service-name.ts';
import type { ClusterMachines, EndpointsProvider } from '../../ports/endpoints.ts';
import { ApiLink, type LinkTuning } from '../api-link.ts';
import { createTableProvider } from '../create-table-provider.ts';
import { EndpointTable } from '../endpoint-table.ts';
import { createDeclaredMachines } from './declared-machines.ts';
import type { MachineAddresses } from './machine.ts';
import {
  keysOfMachine,
  MachinePresence,
  type MachinePresenceOptions,
  type ServingMachine,
} from './machine-presence.ts';
import { endpointsOf, resolveResources } from './resolve-resources.ts';

export interface VirtualMachineEndpointsOptions {
  /** Client of the cluster of the sets. Not disposed of. */
  readonly client: Client;
  /** The cluster of the sets, which has their service accounts. Default: unknown. */
  readonly cluster?: string;
  /** Unique id of the provider. Default `virtual-machines`. */
  readonly id?: string;
  /** Called with errors, which are retried. Default: not called. */
  readonly onError?: (error: ChandleryError) => void;
  readonly tuning?: LinkTuning;
  /** Settings of the detection of lost machines. Default: after 30 s. */
  readonly presence?: Pick<MachinePresenceOptions, 'graceMs' | 'timers'>;
}

/** The endpoints on machines, with the presence of these. */
export interface VirtualMachineEndpoints extends EndpointsProvider {
  readonly presence: ClusterMachines['presence'];
}

/**
 * Provides the endpoints on machines of VirtualMachineSets; those of lost machines are unhealthy. The cost of a change
 * is proportional to the sets of its namespace.
 */
export function createVirtualMachineEndpoints(options: VirtualMachineEndpointsOptions): VirtualMachineEndpoints {
  const { cluster, id = 'virtual-machines', onError } = options;
  const link = new ApiLink({ ...options, name: 'the mesh' });
  const sets = link.watch<VirtualMachineSet>({ ref: virtualMachineSets.ref, transform: withoutBookkeeping });
  const addresses = createDeclaredMachines(sets);
  const table = new EndpointTable(onError);
  const presence: MachinePresence = new MachinePresence({
    ...options.presence,
    isMachineKey: key => reader.isMachineKey(key),
    onChange: namespace => reader.update(new Set([namespace])),
  });
  const reader: SetReader = new SetReader({ sets, addresses, table, cluster, presence });
  const unsubscribe = addresses.subscribe(namespaces => reader.update(namespaces));
  const provider = createTableProvider({
    id,
    table,
    ready: reader.ready,
    staleReason: () => link.staleReason,
    async end() {
      presence[Symbol.dispose]();
      unsubscribe();
      await addresses[Symbol.asyncDispose]();
      await link[Symbol.asyncDispose]();
    },
  });
  return Object.assign(provider, { presence });
}

interface SetReaderOptions {
  readonly sets: Informer<VirtualMachineSet>;
  readonly addresses: MachineAddresses;
  readonly table: EndpointTable;
  readonly cluster: string | undefined;
  readonly presence: Pick<MachinePresence, 'isLost'>;
}

class SetReader {
  readonly ready: Promise<void>;
  readonly #sets: Informer<VirtualMachineSet>;
  readonly #addresses: MachineAddresses;
  readonly #table: EndpointTable;
  readonly #cluster: string | undefined;
  readonly #presence: SetReaderOptions['presence'];
  /** Keys of the proxies of machines, by namespace. */
  readonly #machineKeys = new Map<string, ReadonlySet<string>>();
  /** The services that were last declared, by namespace. */
  readonly #shown = new Map<string, readonly ServiceKey[]>();
  #isComplete = false;

  constructor({ sets, addresses, table, cluster, presence }: SetReaderOptions) {
    this.#presence = presence;
    this.#sets = sets;
    this.#addresses = addresses;
    this.#table = table;
    this.#cluster = cluster;
    this.ready = this.#readAll();
  }

  isMachineKey(key: string): boolean {
    return this.#machineKeys.get(key.slice(0, key.indexOf('/')))?.has(key) ?? false;
  }

  update(namespaces: ReadonlySet<string>): void {
    if (this.#isComplete) this.#table.replace([...namespaces].flatMap(namespace => this.#endpointsIn(namespace)));
  }

  async #readAll(): Promise<void> {
    await Promise.all([this.#sets.synced, this.#addresses.synced]);
    this.#isComplete = true;
    this.update(new Set(this.#sets.list().map(({ metadata }) => metadata.namespace ?? '')));
  }

  /** The endpoints of all services of a namespace, including services that are no longer declared. */
  #endpointsIn(namespace: string): readonly (readonly [ServiceKey, readonly Endpoint[]])[] {
    const declared = this.#sets.list(namespace).flatMap(({ spec }) => spec.services ?? []);
    const keys = declared.map(({ name }) => serviceKey({ namespace, name }));
    const addressesOf = (id: string) => this.#addresses.resolveAddresses(namespace, id);
    const concerned = new Set([...keys, ...(this.#shown.get(namespace) ?? [])]);
    this.#shown.set(namespace, keys);
    const lists = [...concerned].map(key => {
      const served = resolveResources(key.slice(namespace.length + 1), declared, this.#cluster);
      return [key, endpointsOf(served, addressesOf)] as const;
    });
    const machineOf = (endpoint: Endpoint): ServingMachine => ({
      namespace,
      serviceAccount: endpoint.serviceAccount ?? '',
      id: endpoint.source ?? '',
      ip: endpoint.ip,
      isOnlyAddress: addressesOf(endpoint.source ?? '')?.addresses.length === 1,
    });
    const endpointsHere = lists.flatMap(([, endpoints]) => endpoints);
    this.#machineKeys.set(namespace, new Set(endpointsHere.map(machineOf).flatMap(keysOfMachine)));
    const isLost = (endpoint: Endpoint): boolean => this.#presence.isLost(machineOf(endpoint));
    return lists.map(([key, endpoints]) => [key, withoutLost(endpoints, isLost)] as const);
  }
}

/**
 * Marks lost endpoints as unhealthy. When no healthy endpoint would be left, none is marked: a control plane that
 * proxies cannot reach is more likely than the simultaneous loss of all machines.
 */
function withoutLost(endpoints: readonly Endpoint[], isLost: (endpoint: Endpoint) => boolean): readonly Endpoint[] {
  const judged = endpoints.map(endpoint =>
    endpoint.health === 'healthy' && isLost(endpoint) ? { ...endpoint, health: 'unhealthy' as const } : endpoint,
  );
  return judged.some(({ health }) => health === 'healthy') ? judged : endpoints;
}

function withoutBookkeeping(set: VirtualMachineSet): VirtualMachineSet {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = set.metadata;
  const { apiVersion, kind, spec } = set;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, spec };
}
