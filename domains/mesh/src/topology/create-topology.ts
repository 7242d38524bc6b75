import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client, ResourceRef } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { createInformer, type Informer } from '@chandlery/runtime';
import { httpRouteGroups, type SmiHttpRouteGroup } from '../kinds/smi/http-route-group.ts';
import { type SmiTcpRoute, tcpRoutes } from '../kinds/smi/port-routes.ts';
import { type SmiTrafficSplit, trafficSplits } from '../kinds/smi/traffic-split.ts';
import { type SmiTrafficTarget, trafficTargets } from '../kinds/smi/traffic-target.ts';
import { serviceKey } from '../model/service-name.ts';
import type { MeshTopology } from '../ports.ts';
import { ChangeTeller } from './change-teller.ts';
import { httpMatchesOf } from './resolve-routes.ts';
import { type KeptService, ServiceTable } from './service-table.ts';
import { SplitTable } from './split-table.ts';
import { TargetTable } from './target-table.ts';

/** A cluster that is part of the mesh. */
export interface TopologyCluster {
  readonly name: string;
  /** Not disposed of. */
  readonly client: Client;
}

export interface TopologyOptions {
  /** In the order in which they are believed. */
  readonly clusters: readonly TopologyCluster[];
  /** Of the cluster that holds the SMI objects. Not disposed of. */
  readonly topologyClient: Client;
  readonly isPermissive: boolean;
  /** Hears of contradictions and of APIs that cannot be read. Default: nobody. */
  readonly logger?: Pick<Logger, 'warn'>;
}

const servicesRef: ResourceRef = { group: '', version: 'v1', plural: 'services' };

/** Reads services from all clusters and policies from one, and keeps both up to date until it is disposed of. */
export function createTopology(options: TopologyOptions): MeshTopology {
  const { clusters, isPermissive, logger } = options;
  const informers = new TopologyInformers(options);
  const teller = new ChangeTeller();
  const services = new ServiceTable({
    sources: clusters.map(({ name, client }) => ({ cluster: name, services: informers.services(name, client) })),
    onChange: service => teller.services([service]),
    onMismatch: message => logger?.warn(message),
  });
  const { splits, targets } = policyTables(informers, teller);
  const synced = informers.start();
  return {
    synced: synced.promise,
    get isSynced() {
      return informers.areSynced;
    },
    isPermissive,
    listServices: () => services.list(),
    getService: service => services.get(serviceKey(service)),
    listTrafficSplits: () => splits.list(),
    splitOf: root => splits.of(serviceKey(root)),
    splitsTo: backend => splits.to(serviceKey(backend)),
    listTrafficTargets: () => targets.list(),
    targetsTo: destination => targets.to(serviceKey(destination)),
    targetsFrom: source => targets.from(serviceKey(source)),
    subscribe: listener => teller.subscribe(listener),
    async [Symbol.asyncDispose]() {
      teller.end();
      synced.reject(new ChandleryError('Stopped', 'the topology was stopped before it was read'));
      await informers.stop();
    },
  };
}

function policyTables(
  informers: TopologyInformers,
  teller: ChangeTeller,
): { readonly splits: SplitTable; readonly targets: TargetTable } {
  const { groups, tcp } = informers;
  const httpMatches = (namespace: string, name: string) => {
    const group = groups.get(namespace, name);
    return group && httpMatchesOf(group);
  };
  const splits = new SplitTable({
    splits: informers.splits,
    groupMatches: (namespace, name) => httpMatches(namespace, name) ?? [],
    onChange: changed => teller.services(changed),
  });
  const targets = new TargetTable({
    targets: informers.targets,
    routes: {
      httpMatches,
      tcpPorts: (namespace, name) => {
        const route = tcp.get(namespace, name);
        return route && (route.spec?.matches?.ports ?? []);
      },
    },
    onChange: accounts => teller.accounts(accounts),
  });
  const readGroup = (group: KubeObject): void => {
    splits.readGroup(group);
    targets.readRoute('HTTPRouteGroup', group);
  };
  const readTcp = (route: KubeObject): void => targets.readRoute('TCPRoute', route);
  groups.listen({ added: readGroup, updated: readGroup, deleted: readGroup });
  tcp.listen({ added: readTcp, updated: readTcp, deleted: readTcp });
  return { splits, targets };
}

class TopologyInformers {
  readonly splits: Informer<SmiTrafficSplit>;
  readonly targets: Informer<SmiTrafficTarget>;
  readonly groups: Informer<SmiHttpRouteGroup>;
  readonly tcp: Informer<Partial<SmiTcpRoute> & KubeObject>;
  readonly #all: Pick<Informer, 'start' | 'stop' | 'synced' | 'isSynced'>[] = [];
  readonly #logger: TopologyOptions['logger'];

  constructor({ topologyClient, logger }: TopologyOptions) {
    this.#logger = logger;
    this.splits = this.#informer(topologyClient, trafficSplits.ref);
    this.targets = this.#informer(topologyClient, trafficTargets.ref);
    this.groups = this.#informer(topologyClient, httpRouteGroups.ref);
    this.tcp = this.#informer(topologyClient, tcpRoutes.ref);
  }

  get areSynced(): boolean {
    return this.#all.every(({ isSynced }) => isSynced);
  }

  services(cluster: string, client: Client): Informer<KeptService> {
    return this.#informer<KeptService>(client, servicesRef, ` of cluster "${cluster}"`);
  }

  /** Resolves when everything has been read. */
  start(): PromiseWithResolvers<void> {
    const synced = Promise.withResolvers<void>();
    // Nobody needs to wait for it, and then nobody handles its rejection.
    synced.promise.catch(() => undefined);
    for (const informer of this.#all) informer.start();
    Promise.all(this.#all.map(informer => informer.synced)).then(() => synced.resolve(), synced.reject);
    return synced;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map(informer => informer.stop()));
  }

  #informer<T extends KubeObject>(client: Client, ref: ResourceRef, where = ''): Informer<T> {
    const onError = (error: ChandleryError): void =>
      void this.#logger?.warn(`cannot read ${ref.plural}${where} for the mesh: ${error.message}`);
    const informer = createInformer<T>({ client, ref, transform: compact, onError });
    this.#all.push(informer);
    return informer;
  }
}

/** Nothing but what decides: thousands of services are kept per cluster. */
function compact<T extends KubeObject>(object: T): T {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const spec = compactSpec(object['spec']);
  const { apiVersion, kind } = object;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec,
  } as unknown as T;
}

const keptFields = ['ports', 'clusterIPs', 'service', 'backends', 'matches', 'destination', 'rules', 'sources'];

function compactSpec(spec: unknown): Record<string, unknown> {
  const fields = Object.entries((spec ?? {}) as Record<string, unknown>);
  return Object.fromEntries(fields.filter(([field]) => keptFields.includes(field)));
}
