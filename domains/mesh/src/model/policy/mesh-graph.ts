import type { Steps } from '@chandlery/platform';
import type { GraphCall, GraphService, Health, MeshGraph } from '../../kinds/rest-documents.ts';
import type { MeshService } from '../mesh-service.ts';
import { parseServiceKey, type ServiceKey, type ServiceName, serviceKey } from '../service-name.ts';
import type { TrafficSplit } from '../topology.ts';
import { callAccess } from './call-access.ts';
import { accountsBehind, type PolicyDeps } from './policy-deps.ts';

/** What the graph of a mesh is made from. */
export interface GraphDeps extends PolicyDeps {
  /** Sorted by name. */
  readonly listServices: () => readonly MeshService[];
  readonly splitsTo: (backend: ServiceName) => readonly TrafficSplit[];
}

/** Which part of a mesh a graph shows. */
export interface GraphSelection {
  /** A service with its direct neighbours. Default: a page of all services. */
  readonly focus?: ServiceName;
  /** Part of the name of a service. Default: any. */
  readonly search?: string;
  readonly offset: number;
  readonly limit: number;
}

/** The part of a graph that policies and services determine. */
export type PolicyGraph = Omit<MeshGraph, 'isPermissive'>;

/** More calls than these are no picture that people can read. */
const maxCalls = 2000;
/** Denied calls of a service are shown for so many others. */
const maxStrangers = 50;

/** The graph of a mesh: services, and who may call whom. Yields between services. */
export function* meshGraph(selection: GraphSelection, deps: GraphDeps): Steps<PolicyGraph> {
  const graph = new GraphBuilder(deps);
  const { focus, search = '', offset, limit } = selection;
  if (focus !== undefined) return yield* neighbours(focus, limit, graph, deps);
  const found = deps.listServices().filter(({ service }) => serviceKey(service).includes(search));
  for (const service of found.slice(offset, offset + limit)) {
    graph.show(service);
    yield* graph.addCallers(service);
    yield;
  }
  return graph.finish(found.length);
}

function* neighbours(focus: ServiceName, limit: number, graph: GraphBuilder, deps: GraphDeps): Steps<PolicyGraph> {
  const service = deps.services.getService(focus);
  if (service === undefined) return graph.finish(0);
  graph.show(service);
  for (const key of yield* graph.addCallers(service)) graph.showKey(key, limit);
  const related = [...(deps.topology.splitOf(focus)?.backends ?? []), ...deps.splitsTo(focus).map(toRoot)];
  for (const { service: name } of related) graph.showKey(serviceKey(name), limit);
  const own = accountsBehind(focus, deps);
  const strangers: MeshService[] = [];
  for (const other of deps.listServices()) {
    yield;
    if (serviceKey(other.service) === serviceKey(focus)) continue;
    const isOpen = own.some(account => callAccess(account, other, deps).access !== 'none');
    if (isOpen) {
      graph.showKey(serviceKey(other.service), limit);
      for (const account of own) graph.add(account, other);
    }
    if (other.service.namespace === focus.namespace && strangers.length < maxStrangers) strangers.push(other);
  }
  for (const stranger of strangers) {
    yield;
    graph.showKey(serviceKey(stranger.service), limit);
    for (const account of own) graph.add(account, stranger);
    for (const account of accountsBehind(stranger.service, deps)) graph.add(account, service);
  }
  return graph.finish(1);
}

const toRoot = ({ root }: TrafficSplit): { readonly service: ServiceName } => ({ service: root });

class GraphBuilder {
  readonly #deps: GraphDeps;
  readonly #services = new Map<ServiceKey, GraphService>();
  readonly #calls = new Map<string, GraphCall>();
  #isCut = false;

  constructor(deps: GraphDeps) {
    this.#deps = deps;
  }

  show(service: MeshService): void {
    this.#services.set(serviceKey(service.service), describe(service, this.#deps));
  }

  showKey(key: ServiceKey, limit: number): void {
    const name = parseServiceKey(key);
    const service = name && this.#deps.services.getService(name);
    if (service === undefined || this.#services.has(key)) return;
    if (this.#services.size >= limit) this.#isCut = true;
    else this.show(service);
  }

  /** Adds the calls that policies are about, and returns the services behind the callers. Yields between callers. */
  *addCallers(service: MeshService): Steps<readonly ServiceKey[]> {
    const found: ServiceKey[] = [];
    for (const account of this.#callersOf(service)) {
      if (this.#isCut) break;
      this.add(account, service);
      found.push(...this.#deps.servicesOf(serviceKey(account)));
      yield;
    }
    return found;
  }

  /** The accounts that policies name as callers of a service, as far as a graph shows them. */
  #callersOf({ service }: MeshService): Iterable<ServiceName> {
    const { topology } = this.#deps;
    const callers = new Map<string, ServiceName>();
    // All would call all: that is said, and not drawn.
    if (topology.isPermissive) return [];
    for (const { consumer } of topology.grantsTo(service)) callers.set(serviceKey(consumer), consumer);
    for (const account of accountsBehind(service, this.#deps))
      for (const { sources } of topology.targetsTo(account))
        for (const source of sources) {
          if (callers.size > maxCalls) return callers.values();
          callers.set(serviceKey(source), source);
        }
    return callers.values();
  }

  add(account: ServiceName, service: MeshService): void {
    if (this.#deps.topology.isPermissive) return;
    const call = { from: serviceKey(account), to: serviceKey(service.service) };
    const key = `${call.from} ${call.to}`;
    if (this.#calls.has(key)) return;
    if (this.#calls.size >= maxCalls) this.#isCut = true;
    else this.#calls.set(key, { ...call, ...callAccess(account, service, this.#deps) });
  }

  finish(total: number): PolicyGraph {
    return {
      services: [...this.#services.values()],
      calls: [...this.#calls.values()],
      total,
      isCut: this.#isCut,
    };
  }
}

function describe({ service, ports, clusters, isUnproxied }: MeshService, deps: GraphDeps): GraphService {
  const endpoints: Partial<Record<Health, number>> = {};
  for (const { health } of deps.endpointsOf(service)) endpoints[health] = (endpoints[health] ?? 0) + 1;
  const split = deps.topology.splitOf(service);
  return {
    ...service,
    ports,
    clusters,
    serviceAccounts: deps.accountsOf(service),
    endpoints,
    ...(split && { split: { source: split.source, backends: split.backends } }),
    ...(isUnproxied && { isUnproxied }),
  };
}
