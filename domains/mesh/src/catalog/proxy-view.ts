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

/** What a view asks the catalog. */
export interface ViewDeps {
  readonly tenant: string;
  readonly compiler: ResourceCompiler;
  version(type: ResourceType): string;
  services(): Iterable<ServiceKey>;
  /** Undefined when the service does not exist or may not be called in this scope. */
  outboundService(service: ServiceName, scope: ProxyScope): OutboundService | undefined;
  /** Its resources, shared by all views to which the service looks the same. */
  compile(outbound: OutboundService, scope: ProxyScope): readonly EncodedResource[];
  inboundPolicy(scope: ProxyScope): InboundPolicy;
  endpoints(outbound: OutboundService, port: ServicePort, from: Viewpoint): EncodedResource;
  secret(name: string, scope: ProxyScope): EncodedResource | undefined;
  /** From now on the view is told of changes of the service. */
  follow(service: ServiceKey, view: SharedView): void;
  /** From now on the view is told of changes of any service. */
  followAll(view: SharedView): void;
}

/** What has changed since a view was last told. */
export interface CatalogChange {
  readonly acceptedAt: number;
  readonly isUrgent: boolean;
  /** Services that look different: declaration, split, who backs them. */
  readonly services: ReadonlySet<ServiceKey>;
  /** Services with other endpoints. */
  readonly endpoints: ReadonlySet<ServiceKey>;
  /** Accounts with other rights, `namespace/name`. */
  readonly accounts: ReadonlySet<string>;
  /** Whom to believe has changed: everything that names a principal. */
  readonly haveRootsChanged: boolean;
}

interface ShownService {
  readonly outbound: OutboundService | undefined;
  readonly resources: readonly EncodedResource[];
}

const absent: ShownService = { outbound: undefined, resources: [] };

/**
 * What all proxies of one account in one place are told. Services are looked at when somebody asks for them; only
 * wildcard subscriptions look at all. A view that was never asked for a service never hears of it.
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

  /** The services that somebody asked for through this view. */
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
    // A function of our own, so that the same one may be added twice.
    const entry = (change: ViewChange): void => listener(change);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Brings the view up to date and tells its listeners what is different. */
  apply(change: CatalogChange): void {
    const changed = new ChangedNames();
    if (this.#concernsAccount(change)) this.#applyToAll(changed);
    else this.#applyToServices(change, changed);
    this.#applyToEndpoints(change, changed);
    this.#applyToSecrets(change, changed);
    if (changed.byType.size === 0) return;
    const isUrgent = change.isUrgent || changed.hasRemoval;
    const told: ViewChange = { acceptedAt: change.acceptedAt, changed: changed.byType, isUrgent };
    for (const listener of this.#listeners) listener(told);
  }

  #concernsAccount({ accounts, haveRootsChanged }: CatalogChange): boolean {
    const { namespace, serviceAccount } = this.scope.identity;
    return haveRootsChanged || accounts.has(`${namespace}/${serviceAccount}`);
  }

  /** The account's own rights are others now: everything that was shown may be different. */
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

  #applyToEndpoints({ endpoints }: CatalogChange, changed: ChangedNames): void {
    for (const key of endpoints) {
      const outbound = this.#shown.get(key)?.outbound;
      if (outbound !== undefined) for (const name of this.#clusterNames(outbound)) changed.add('endpoints', name);
    }
  }

  #applyToSecrets({ haveRootsChanged, services, accounts }: CatalogChange, changed: ChangedNames): void {
    if (!haveRootsChanged && services.size === 0 && accounts.size === 0) return;
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
    // What is followed stays known even if it is gone: it is left with the view.
    if (known !== undefined) this.#shown.set(key, after);
    changed.addDifference(before.resources, after.resources);
    const names = (shown: ShownService): string[] => (shown.outbound ? this.#clusterNames(shown.outbound) : []);
    const [old, present] = [new Set(names(before)), new Set(names(after))];
    const isDividedAnew = JSON.stringify(before.outbound?.split) !== JSON.stringify(after.outbound?.split);
    // The division is in the endpoints too, for those who ask for nothing else.
    const others = isDividedAnew ? old.union(present) : old.symmetricDifference(present);
    for (const name of others) changed.add('endpoints', name);
  }

  /** Listeners and what belongs to the workload itself. */
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

  /** The listener of everything that the workload calls, and what belongs to it. */
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

  /** A view of everything hears of any service that comes; one that was asked for too many becomes such a view. */
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

  /** Also what is not there yet is remembered: the service may come. */
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

  /** Names of other tenants do not exist here. */
  #ownCluster(name: string): ReturnType<typeof parseClusterName> {
    const parsed = parseClusterName(name);
    return parsed?.tenant === this.#deps.tenant ? parsed : undefined;
  }

  #clusterNames({ service, ports }: OutboundService): string[] {
    return ports.map(({ port }) => clusterName({ tenant: this.#deps.tenant, service, port }));
  }
}

/** Services that a view looks at one by one: names can be made up without end, and each would be remembered. */
const maxShown = 10_000;

/** One for each service that is called, and some; names made up beyond that are not remembered. */
const maxSecrets = 20_000;

/** A workload listens on a few addresses; names made up beyond that are not remembered. */
const maxServerListeners = 64;
