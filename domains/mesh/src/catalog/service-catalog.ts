import { hash, randomUUID } from 'node:crypto';
import { Pace } from '@chandlery/platform';
import { systemTimers, type Timers } from '@chandlery/runtime';
import type { MeshMachines } from '../endpoints/virtual-machines/mesh-machines.ts';
import type { Explanation } from '../kinds/rest-documents.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { MeshService } from '../model/mesh-service.ts';
import { type DescribedCall, explain } from '../model/policy/explain.ts';
import { inboundPolicyOf } from '../model/policy/inbound-policy.ts';
import { type GraphSelection, meshGraph, type PolicyGraph } from '../model/policy/mesh-graph.ts';
import { outboundService } from '../model/policy/outbound-service.ts';
import type { PolicyDeps } from '../model/policy/policy-deps.ts';
import type { OutboundService, ProxyScope } from '../model/proxy-scope.ts';
import type { ResourceType } from '../model/resource.ts';
import { defaultCertificateFolder } from '../model/resource-names.ts';
import { parseServiceKey, type ServiceKey, type ServiceName, serviceKey } from '../model/service-name.ts';
import { defaultMeshTraffic, defaultProxyPorts, type MeshTraffic } from '../model/traffic-settings.ts';
import type {
  AnnouncedEndpoints,
  ConnectedProxy,
  EndpointsProvider,
  MeshAuthority,
  MeshTopology,
  Proxy,
  ServiceDirectory,
  TopologyChange,
  Unsubscribe,
} from '../ports.ts';
import type { ResourceCompiler } from '../resources/create-resource-compiler.ts';
import { announceEndpoints } from './announce-endpoints.ts';
import { CompiledServices } from './compiled-services.ts';
import { ContentSum } from './content-sum.ts';
import { EndpointResources } from './endpoint-resources.ts';
import { KnownRegions } from './known-regions.ts';
import { type EndpointsChange, MergedEndpoints } from './merged-endpoints.ts';
import { PendingChange } from './pending-change.ts';
import { type CatalogChange, SharedView, type ViewDeps } from './proxy-view.ts';
import { SecretResources } from './secret-resources.ts';
import { ViewIndex } from './view-index.ts';
import { viewpointKey, viewpointOf } from './viewpoint-of.ts';

/** A member cluster of a mesh. */
export interface MemberCluster {
  readonly name: string;
  readonly region?: string;
}

export interface ServiceCatalogOptions {
  readonly tenant: string;
  readonly clusters: readonly MemberCluster[];
  /** Must be synced. Not disposed of. */
  readonly topology: MeshTopology;
  /** Must be synced. Not disposed of. */
  readonly services: ServiceDirectory;
  /**
   * Must be synced. Not disposed of. By descending priority: of two that know the same address, the first describes it.
   */
  readonly providers: readonly EndpointsProvider[];
  /** The one of the providers that accepts announcements of proxies. Default: announcements are ignored. */
  readonly announced?: Pick<AnnouncedEndpoints, 'announce'>;
  /** Tracks the presence of machines by their proxies. Default: not tracked. */
  readonly machines?: Pick<MeshMachines, 'connect'>;
  readonly authority: MeshAuthority;
  readonly compiler: ResourceCompiler;
  /** Settings for traffic that no policy covers. Default {@link defaultMeshTraffic}. */
  readonly traffic?: MeshTraffic;
  /** Default: the process's. */
  readonly timers?: Timers;
}

/** Notifies subscribers of changes. */
export interface Announcements {
  subscribe(listener: (change: CatalogChange) => void): Unsubscribe;
}

/**
 * The service catalog of a mesh: merges topology, services and endpoints, and derives the view of each proxy. Views are
 * computed on demand; the cost of a change is proportional to what it affects.
 */
export class ServiceCatalog implements Disposable {
  readonly tenant: string;
  readonly topology: MeshTopology;
  readonly services: ServiceDirectory;
  /** Notifies subscribers of changes, after the views show them. */
  readonly announcements: Announcements = { subscribe: listener => this.#subscribe(listener) };
  readonly #options: ServiceCatalogOptions;
  readonly #endpoints: MergedEndpoints;
  readonly #regions: KnownRegions;
  readonly #endpointResources: EndpointResources;
  readonly #compiled: CompiledServices;
  readonly #secrets: SecretResources;
  readonly #structure = new ContentSum();
  readonly #views = new ViewIndex();
  readonly #policy: PolicyDeps;
  readonly #deps: ViewDeps;
  readonly #listeners = new Set<(change: CatalogChange) => void>();
  readonly #pendingTimers = new Set<() => void>();
  readonly #unsubscribe: readonly Unsubscribe[];
  readonly #lastHashes = new Map<ResourceType, { readonly content: string; readonly hash: string }>();
  readonly #closed = new AbortController();
  readonly #id = randomUUID().slice(0, 8);
  #changes = 0;
  #sorted: readonly MeshService[] | undefined;
  #pending: PendingChange | undefined;

  constructor(options: ServiceCatalogOptions) {
    const { tenant, topology, services, providers, authority, compiler } = options;
    this.#options = options;
    this.tenant = tenant;
    this.topology = topology;
    this.services = services;
    this.#regions = new KnownRegions(options.clusters);
    this.#endpoints = new MergedEndpoints(providers, changes => this.#onEndpoints(changes), {
      onRead: (service, lists) => this.#regions.note(service, this.#withoutAnnounced(lists)),
    });
    this.#endpointResources = new EndpointResources({
      tenant,
      endpointsOf: service => this.#endpoints.of(service),
      encode: (name, groups) => compiler.endpoints(name, groups),
      portOf: (service, port) => services.getService(service)?.ports.find(candidate => candidate.port === port),
    });
    this.#compiled = new CompiledServices(compiler);
    this.#secrets = new SecretResources({
      authority,
      compiler,
      principalsOf: (service, scope) => this.#outbound(service, scope)?.principals,
    });
    this.#policy = {
      topology,
      services,
      clusters: options.clusters.map(({ name }) => name),
      // They may change during a root rotation.
      get trustDomains() {
        return authority.trustDomains;
      },
      endpointsOf: service => this.listEndpoints(service),
      accountsOf: service => this.accountsOf(service),
      servicesOf: account => this.#endpoints.servicesOf(account),
    };
    this.#deps = this.#viewDeps();
    this.#structure.set('traffic', JSON.stringify([options.traffic ?? defaultMeshTraffic, topology.isPermissive]));
    for (const { service } of services.listServices()) this.#noteStructure(serviceKey(service));
    for (const { destination } of topology.listTrafficTargets()) this.#noteAccount(serviceKey(destination));
    this.#unsubscribe = [
      topology.subscribe(change => this.#onTopology(change)),
      services.subscribe(changed => this.#onServices(changed)),
      authority.subscribe(() => this.#onRoots()),
    ];
  }

  /** Differs after every change that {@link announcements} notify of, and from that of every other catalog. */
  get changeVersion(): string {
    return `${this.#id}-${this.#changes}`;
  }

  /** Aborted when the catalog is no longer kept up to date. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get clusters(): readonly MemberCluster[] {
    return this.#options.clusters;
  }

  listEndpointsProviders(): readonly EndpointsProvider[] {
    return this.#options.providers;
  }

  listEndpoints(service: ServiceName): readonly Endpoint[] {
    return this.#endpoints.of(serviceKey(service));
  }

  /** The accounts behind a service, `namespace/name`. */
  accountsOf(service: ServiceName): readonly string[] {
    return this.#endpoints.accountsOf(serviceKey(service));
  }

  /** Explains whether a call is allowed, and why. */
  explain(call: DescribedCall): Explanation {
    return explain(call, this.#policy);
  }

  /** The services of a part of the mesh, and who may call whom. */
  async graph(selection: GraphSelection): Promise<PolicyGraph> {
    const listServices = (): readonly MeshService[] => this.#sortedServices();
    const splitsTo = (backend: ServiceName) => this.topology.splitsTo(backend);
    return await new Pace().run(meshGraph(selection, { ...this.#policy, listServices, splitsTo }));
  }

  /**
   * Registers a connected proxy and the endpoints that it announces, until the returned object is disposed of. Throws
   * `PermissionDenied`, `InvalidRequest`.
   */
  registerProxy(proxy: Proxy): ConnectedProxy {
    const { announced } = this.#options;
    const announcement = announced && announceEndpoints(proxy, announced);
    const presence = this.#options.machines?.connect(proxy);
    const from = viewpointOf(proxy, {
      regionOf: name => this.clusters.find(cluster => cluster.name === name)?.region,
      isKnownRegion: region => this.#regions.has(region),
    });
    const { proxyId: _, ...identity } = proxy.identity;
    const { dialect, certificateFolder = defaultCertificateFolder } = proxy;
    const { traffic = defaultMeshTraffic } = this.#options;
    const { ports = defaultProxyPorts } = proxy;
    const account = `${identity.namespace}/${identity.serviceAccount}`;
    const key = `${dialect} ${account} ${JSON.stringify([certificateFolder, ports])} ${viewpointKey(from)}`;
    const { isPermissive } = this.topology;
    const scope: ProxyScope = { identity, dialect, isPermissive, certificateFolder, traffic, ports };
    const view = this.#views.acquire(key, () => new SharedView(this.#deps, scope, from));
    let isConnected = true;
    const disconnect = (endAnnouncement: () => void): void => {
      if (!isConnected) return;
      isConnected = false;
      this.#views.release(key);
      presence?.[Symbol.dispose]();
      endAnnouncement();
    };
    const endAnnouncement = (): void => announcement?.[Symbol.dispose]();
    return {
      view,
      closed: this.#closed.signal,
      releaseForReconnect: () => disconnect(() => this.#afterReconnect(endAnnouncement)),
      [Symbol.dispose]: () => disconnect(endAnnouncement),
    };
  }

  [Symbol.dispose](): void {
    this.#closed.abort();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const cancel of this.#pendingTimers) cancel();
    this.#endpoints[Symbol.dispose]();
    this.#listeners.clear();
  }

  #subscribe(listener: (change: CatalogChange) => void): Unsubscribe {
    const entry = (change: CatalogChange): void => listener(change);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  #afterReconnect(call: () => void): void {
    const { timers = systemTimers } = this.#options;
    const cancel = timers.after(reconnectMs, () => {
      this.#pendingTimers.delete(cancel);
      call();
    });
    this.#pendingTimers.add(cancel);
  }

  /** Announced endpoints do not make a region known. */
  #withoutAnnounced(lists: readonly (readonly Endpoint[])[]): readonly Endpoint[] {
    const { providers, announced } = this.#options;
    return lists.flatMap((endpoints, index) => (Object.is(providers[index], announced) ? [] : endpoints));
  }

  #viewDeps(): ViewDeps {
    const { tenant, services, compiler } = this.#options;
    return {
      tenant,
      compiler,
      version: type => this.#version(type),
      services: () => [...services.listServices()].map(({ service }) => serviceKey(service)),
      outboundService: (service, scope) => this.#outbound(service, scope),
      compile: (outbound, scope) => this.#compiled.get(outbound, scope),
      inboundPolicy: scope => inboundPolicyOf(scope, this.#policy),
      endpoints: (outbound, port, from) => this.#endpointResources.get(outbound, port, from),
      secret: (name, scope) => this.#secrets.get(name, scope),
      follow: (service, view) => this.#views.follow(service, view),
      followAll: view => this.#views.followAll(view),
    };
  }

  /** All types depend on the structure of services: a client with this version has all resources of the type. */
  #version(type: ResourceType): string {
    const { authority } = this.#options;
    const structure = `${this.#structure.text} ${authority.trustVersion}`;
    if (type === 'endpoints') return this.#hashOf(type, `${structure} ${this.#endpoints.version}`);
    return this.#hashOf(type, structure);
  }

  /** Cached, because every stream reads the version at every push. */
  #hashOf(type: ResourceType, content: string): string {
    const last = this.#lastHashes.get(type);
    if (last?.content === content) return last.hash;
    const hash = shortHash(content);
    this.#lastHashes.set(type, { content, hash });
    return hash;
  }

  #outbound(service: ServiceName, scope: ProxyScope): OutboundService | undefined {
    return outboundService(service, scope, this.#policy);
  }

  #onTopology({ services, accounts, grants = new Map() }: TopologyChange): void {
    const pending = this.#next();
    for (const key of services) this.#touch(key, pending);
    for (const account of accounts) {
      pending.accounts.add(account);
      this.#noteAccount(account);
      for (const key of this.#endpoints.servicesOf(account)) this.#touch(key, pending);
    }
    for (const [service, consumers] of grants) this.#noteGrants(service, consumers, pending);
    // A revoked permission must not be debounced.
    pending.isUrgent ||= accounts.size > 0 || grants.size > 0;
  }

  /** Access to one service concerns its consumers and the accounts behind it, but no other caller. */
  #noteGrants(service: ServiceKey, consumers: ReadonlySet<string>, pending: PendingChange): void {
    this.#noteStructure(service);
    for (const account of [...consumers, ...this.#endpoints.accountsOf(service)]) {
      const services = pending.grants.get(account) ?? new Set();
      pending.grants.set(account, services.add(service));
    }
  }

  /** Sorted once after each change of the services, not for each reader of a page. */
  #sortedServices(): readonly MeshService[] {
    this.#sorted ??= [...this.services.listServices()]
      .map(service => ({ key: serviceKey(service.service), service }))
      .sort((one, other) => (one.key < other.key ? -1 : 1))
      .map(({ service }) => service);
    return this.#sorted;
  }

  #onServices(changed: ReadonlySet<ServiceKey>): void {
    this.#sorted = undefined;
    const pending = this.#next();
    for (const key of changed) this.#touch(key, pending);
  }

  #onEndpoints(changes: readonly EndpointsChange[]): void {
    const pending = this.#next();
    for (const { service, isUrgent, changedAccounts } of changes) {
      pending.isUrgent ||= isUrgent;
      for (const account of changedAccounts) pending.accounts.add(account);
      for (const key of [service, ...this.#rootsOf(service)]) {
        pending.endpoints.add(key);
        this.#endpointResources.forget(key);
      }
      if (changedAccounts.size > 0) this.#touch(service, pending);
    }
  }

  #onRoots(): void {
    this.#next().haveRootsChanged = true;
    this.#compiled.clear();
  }

  #rootsOf(backend: ServiceKey): ServiceKey[] {
    const service = parseServiceKey(backend);
    return service === undefined ? [] : this.topology.splitsTo(service).map(({ root }) => serviceKey(root));
  }

  #noteStructure(key: ServiceKey): void {
    const service = parseServiceKey(key);
    const declared = service && this.services.getService(service);
    const content = declared && [
      declared,
      this.topology.splitOf(declared.service),
      this.#endpoints.accountsOf(key),
      this.topology.grantsTo(declared.service),
    ];
    this.#structure.set(`service ${key}`, content && JSON.stringify(content));
  }

  #noteAccount(account: string): void {
    const name = parseServiceKey(account);
    const targets = name === undefined ? [] : this.topology.targetsTo(name);
    this.#structure.set(`account ${account}`, targets.length === 0 ? undefined : JSON.stringify(targets));
  }

  /** Marks a service, and the roots of splits that have it as a backend, as changed. */
  #touch(key: ServiceKey, pending: PendingChange): void {
    for (const touched of [key, ...this.#rootsOf(key)]) {
      pending.services.add(touched);
      this.#compiled.forget(touched);
      this.#endpointResources.forget(touched);
      this.#noteStructure(touched);
    }
  }

  #next(): PendingChange {
    if (this.#pending === undefined) {
      this.#pending = new PendingChange();
      setImmediate(() => this.#announce());
    }
    return this.#pending;
  }

  #announce(): void {
    const change = this.#pending;
    this.#pending = undefined;
    if (change === undefined) return;
    this.#changes += 1;
    for (const view of this.#concerned(change)) view.apply(change);
    for (const listener of this.#listeners) listener(change);
  }

  #concerned(change: CatalogChange): Set<SharedView> {
    if (change.haveRootsChanged) return new Set(this.#views.all());
    const concerned = new Set<SharedView>();
    const add = (views: Iterable<SharedView>): void => {
      for (const view of views) concerned.add(view);
    };
    for (const key of change.endpoints) add(this.#views.following(key));
    for (const key of change.services) {
      add(this.#views.following(key));
      for (const account of this.#endpoints.accountsOf(key)) add(this.#views.ofAccount(account));
    }
    if (change.services.size > 0) add(this.#views.followingAll());
    for (const account of [...change.accounts, ...change.grants.keys()]) add(this.#views.ofAccount(account));
    return concerned;
  }
}

/** How long a proxy that was asked to reconnect may take: its first attempt may fail and be retried after seconds. */
const reconnectMs = 15_000;

const shortHash = (text: string): string => hash('sha1', text).slice(0, 16);
