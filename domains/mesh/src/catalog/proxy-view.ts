import type { Viewpoint } from '../model/endpoints/level-of.ts';
import type { ServicePort } from '../model/mesh-service.ts';
import type { InboundPolicy, OutboundService, ProxyScope } from '../model/proxy-scope.ts';
import type { EncodedResource, ResourceType } from '../model/resource.ts';
import {
  clusterName,
  nowhereClusterName,
  outboundListenerName,
  parseClusterName,
  parseDialledService,
  passthroughClusterName,
  secretNames,
  serverListenerPrefix,
} from '../model/resource-names.ts';
import { parseServiceKey, type ServiceKey, type ServiceName, serviceKey } from '../model/service-name.ts';
import type { ProxyView, Unsubscribe, ViewChange } from '../ports.ts';
import type { ResourceCompiler } from '../resources/create-resource-compiler.ts';
import { ChangedNames } from './changed-names.ts';

/** The parts of the catalog that views use. */
export interface ViewDeps {
  readonly tenant: string;
  readonly compiler: ResourceCompiler;
  version(type: ResourceType): string;
  services(): Iterable<ServiceKey>;
  /** Undefined when the service does not exist or may not be called in this scope. */
  outboundService(service: ServiceName, scope: ProxyScope): OutboundService | undefined;
  /** The resources of the service, shared by all views that see it in the same way. */
  compile(outbound: OutboundService, scope: ProxyScope): readonly EncodedResource[];
  inboundPolicy(scope: ProxyScope): InboundPolicy;
  endpoints(outbound: OutboundService, port: ServicePort, from: Viewpoint): EncodedResource;
  secret(name: string, scope: ProxyScope): EncodedResource | undefined;
  /** Subscribes the view to changes of the service. */
  follow(service: ServiceKey, view: SharedView): void;
  /** Subscribes the view to changes of all services. */
  followAll(view: SharedView): void;
}

/** A change of the catalog. */
export interface CatalogChange {
  readonly acceptedAt: number;
  readonly isUrgent: boolean;
  /** Services whose declaration, split or accounts have changed. */
  readonly services: ReadonlySet<ServiceKey>;
  /** Services whose endpoints have changed. */
  readonly endpoints: ReadonlySet<ServiceKey>;
  /** Accounts whose access has changed, `namespace/name`. */
  readonly accounts: ReadonlySet<string>;
  /** Services to which bindings have given or taken access, by account: the callers, and those behind the services. */
  readonly grants: ReadonlyMap<string, ReadonlySet<ServiceKey>>;
  /** Whether roots or trust domains have changed, and with them all resources that name a principal. */
  readonly haveRootsChanged: boolean;
}

interface ShownService {
  readonly outbound: OutboundService | undefined;
  readonly resources: readonly EncodedResource[];
}

const absent: ShownService = { outbound: undefined, resources: [] };

/**
 * The configuration of all proxies of one account in one place. Services are compiled on demand; only a wildcard
 * subscription reads all of them. A view is not notified of services that no proxy has subscribed to.
 */
export class SharedView implements ProxyView {
  readonly scope: ProxyScope;
  readonly #deps: ViewDeps;
  readonly #from: Viewpoint;
  readonly #shown = new Map<ServiceKey, ShownService>();
  readonly #listeners = new Set<(change: ViewChange) => void>();
  readonly #serverListeners = new Map<string, EncodedResource | undefined>();
  readonly #secrets = new Map<string, EncodedResource | undefined>();
  #inbound: readonly EncodedResource[] | undefined;
  #outboundOwn: readonly EncodedResource[] = [];
  #isWhole = false;

  constructor(deps: ViewDeps, scope: ProxyScope, from: Viewpoint) {
    this.#deps = deps;
    this.scope = scope;
    this.#from = from;
  }

  /** The services that proxies have subscribed to through this view. */
  get services(): Iterable<ServiceKey> {
    return this.#shown.keys();
  }

  version(type: ResourceType): string {
    return this.#deps.version(type);
  }

  names(type: ResourceType): readonly string[] {
    if (type === 'secret') return [secretNames.inboundRoots];
    this.#showAll();
    if (type === 'endpoints') return this.#outbound().flatMap(outbound => this.#clusterNames(outbound));
    const own = [...this.#inboundResources(), ...this.#outboundOwn];
    const all = [...own, ...[...this.#shown.values()].flatMap(({ resources }) => resources)];
    return all.filter(resource => resource.type === type).map(({ name }) => name);
  }

  get(type: ResourceType, name: string): EncodedResource | undefined {
    if (type === 'secret') return this.#secret(name);
    if (type === 'endpoints') return this.#endpoints(name);
    if (name === outboundListenerName || name === passthroughClusterName) {
      this.#showAll();
      return this.#outboundOwn.find(resource => resource.type === type && resource.name === name);
    }
    if (type === 'cluster' && name === nowhereClusterName(this.#deps.tenant))
      return this.#deps.compiler.nowhereCluster(this.scope);
    if (type === 'listener' && name.startsWith(serverListenerPrefix)) return this.#serverListener(name);
    const inbound = this.#inboundResources().find(resource => resource.type === type && resource.name === name);
    if (inbound !== undefined) return inbound;
    const service = type === 'listener' ? parseDialledService(name)?.service : this.#ownCluster(name)?.service;
    if (service === undefined) return undefined;
    const { resources } = this.#show(serviceKey(service));
    const found = resources.find(resource => resource.type === type && resource.name === name);
    return found ?? (type === 'listener' ? this.#deps.compiler.deadEndListener(name, this.scope) : undefined);
  }

  subscribe(listener: (change: ViewChange) => void): Unsubscribe {
    // A new function for each subscription, so that the same listener can be added twice.
    const entry = (change: ViewChange): void => listener(change);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Updates the view and notifies its listeners of the difference. */
  apply(change: CatalogChange): void {
    const changed = new ChangedNames();
    if (this.#concernsAccount(change)) this.#applyToAll(changed);
    else {
      this.#applyToServices(change, changed);
      this.#applyToGrants(change, changed);
    }
    this.#applyToEndpoints(change, changed);
    this.#applyToSecrets(change, changed);
    if (changed.byType.size === 0) return;
    const isUrgent = change.isUrgent || changed.hasRemoval;
    const viewChange: ViewChange = { acceptedAt: change.acceptedAt, changed: changed.byType, isUrgent };
    for (const listener of this.#listeners) listener(viewChange);
  }

  get #account(): string {
    const { namespace, serviceAccount } = this.scope.identity;
    return `${namespace}/${serviceAccount}`;
  }

  #concernsAccount({ accounts, haveRootsChanged }: CatalogChange): boolean {
    return haveRootsChanged || accounts.has(this.#account);
  }

  /** After a change of the account's own access, all services may have changed. */
  #applyToAll(changed: ChangedNames): void {
    const keys = new Set(this.#shown.keys());
    if (this.#isWhole) for (const key of this.#deps.services()) keys.add(key);
    for (const key of keys) this.#renew(key, changed);
    this.#renewOwn(changed);
  }

  #applyToServices({ services }: CatalogChange, changed: ChangedNames): void {
    let isOwn = false;
    for (const key of services) {
      if (this.#isWhole || this.#shown.has(key)) this.#renew(key, changed);
      isOwn ||= this.#isWhole || this.#inbound !== undefined || this.#serverListeners.size > 0;
    }
    if (isOwn) this.#renewOwn(changed);
  }

  /** A binding changes the access of its consumer to one service. */
  #applyToGrants({ grants }: CatalogChange, changed: ChangedNames): void {
    const services = grants.get(this.#account);
    if (services === undefined) return;
    for (const key of services) if (this.#isWhole || this.#shown.has(key)) this.#renew(key, changed);
    this.#renewOwn(changed);
  }

  #applyToEndpoints({ endpoints }: CatalogChange, changed: ChangedNames): void {
    for (const key of endpoints) {
      const outbound = this.#shown.get(key)?.outbound;
      if (outbound !== undefined) for (const name of this.#clusterNames(outbound)) changed.add('endpoints', name);
    }
  }

  #applyToSecrets(change: CatalogChange, changed: ChangedNames): void {
    const { haveRootsChanged, services, accounts, grants } = change;
    if (!haveRootsChanged && services.size === 0 && accounts.size === 0 && !grants.has(this.#account)) return;
    for (const [name, before] of this.#secrets) {
      const after = this.#deps.secret(name, this.scope);
      this.#secrets.set(name, after);
      changed.addDifference(before ? [before] : [], after ? [after] : []);
    }
  }

  #renew(key: ServiceKey, changed: ChangedNames): void {
    const known = this.#shown.get(key);
    const before = known ?? absent;
    this.#shown.delete(key);
    const after = this.#show(key);
    // A subscribed service stays in the map after its removal; it is deleted with the view.
    if (known !== undefined) this.#shown.set(key, after);
    changed.addDifference(before.resources, after.resources);
    const names = (shown: ShownService): string[] => (shown.outbound ? this.#clusterNames(shown.outbound) : []);
    const [old, present] = [new Set(names(before)), new Set(names(after))];
    const hasSplitChanged = JSON.stringify(before.outbound?.split) !== JSON.stringify(after.outbound?.split);
    // Endpoints contain the split too, for clients that subscribe to nothing else.
    const others = hasSplitChanged ? old.union(present) : old.symmetricDifference(present);
    for (const name of others) changed.add('endpoints', name);
  }

  /** Updates listeners and the resources of the workload itself. */
  #renewOwn(changed: ChangedNames): void {
    const inbound = this.#inbound;
    this.#inbound = undefined;
    if (inbound !== undefined) changed.addDifference(inbound, this.#inboundResources());
    if (this.#isWhole) {
      const before = this.#outboundOwn;
      changed.addDifference(before, this.#makeOutboundOwn());
    }
    for (const [name, before] of this.#serverListeners) {
      const after = this.#deps.compiler.serverListener(name, this.#deps.inboundPolicy(this.scope), this.scope);
      this.#serverListeners.set(name, after);
      changed.addDifference(before ? [before] : [], after ? [after] : []);
    }
  }

  #showAll(): void {
    if (this.#isWhole) return;
    this.#isWhole = true;
    this.#deps.followAll(this);
    for (const key of this.#deps.services()) this.#show(key);
    this.#makeOutboundOwn();
  }

  /** Compiles the outbound listener of the workload and its resources. */
  #makeOutboundOwn(): readonly EncodedResource[] {
    const isEnvoy = this.scope.dialect === 'envoy';
    const services = isEnvoy ? this.#outbound() : [];
    services.sort((a, b) => (serviceKey(a.service) < serviceKey(b.service) ? -1 : 1));
    this.#outboundOwn = isEnvoy ? this.#deps.compiler.outboundListener(services, this.scope) : [];
    return this.#outboundOwn;
  }

  #outbound(): OutboundService[] {
    return [...this.#shown.values()].flatMap(({ outbound }) => outbound ?? []);
  }

  #show(key: ServiceKey): ShownService {
    const known = this.#shown.get(key);
    if (known !== undefined) return known;
    const service = parseServiceKey(key);
    const outbound = service && this.#deps.outboundService(service, this.scope);
    if (outbound === undefined && !this.#remembersAbsent()) return absent;
    const resources = outbound === undefined ? [] : this.#deps.compile(outbound, this.scope);
    const shown = { outbound, resources };
    this.#shown.set(key, shown);
    this.#deps.follow(key, this);
    return shown;
  }

  /** A wildcard view is notified of any new service; a view with too many absent names becomes one. */
  #remembersAbsent(): boolean {
    if (this.#shown.size >= maxShown) this.#showAll();
    return !this.#isWhole;
  }

  #inboundResources(): readonly EncodedResource[] {
    if (this.scope.dialect !== 'envoy') return [];
    this.#inbound ??= this.#deps.compiler.inbound(this.#deps.inboundPolicy(this.scope), this.scope);
    return this.#inbound;
  }

  #serverListener(name: string): EncodedResource | undefined {
    if (!this.#serverListeners.has(name)) {
      if (this.#serverListeners.size >= maxServerListeners) return undefined;
      const policy = this.#deps.inboundPolicy(this.scope);
      this.#serverListeners.set(name, this.#deps.compiler.serverListener(name, policy, this.scope));
    }
    return this.#serverListeners.get(name);
  }

  /** Caches missing secrets too, because the service may be created later. */
  #secret(name: string): EncodedResource | undefined {
    if (!this.#secrets.has(name)) {
      const secret = this.#deps.secret(name, this.scope);
      if (secret === undefined && this.#secrets.size >= maxSecrets) return undefined;
      this.#secrets.set(name, secret);
    }
    return this.#secrets.get(name);
  }

  #endpoints(name: string): EncodedResource | undefined {
    if (name === nowhereClusterName(this.#deps.tenant)) return this.#deps.compiler.endpoints(name, []);
    const wanted = this.#ownCluster(name);
    if (wanted === undefined) return undefined;
    const { outbound } = this.#show(serviceKey(wanted.service));
    const port = outbound?.ports.find(candidate => candidate.port === wanted.port);
    return outbound && port && this.#deps.endpoints(outbound, port, this.#from);
  }

  /** A name of another tenant is treated as missing. */
  #ownCluster(name: string): ReturnType<typeof parseClusterName> {
    const parsed = parseClusterName(name);
    return parsed?.tenant === this.#deps.tenant ? parsed : undefined;
  }

  #clusterNames({ service, ports }: OutboundService): string[] {
    return ports.map(({ port }) => clusterName({ tenant: this.#deps.tenant, service, port }));
  }
}

/** Maximum number of services of a view without a wildcard: clients can invent names, and each one is cached. */
const maxShown = 10_000;

/** One for each called service and some; further invented names are not cached. */
const maxSecrets = 20_000;

/** A workload listens on a few addresses; further invented names are not cached. */
const maxServerListeners = 64;
