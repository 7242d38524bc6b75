import type { KubeObject } from '@chandlery/api';
import { type Cluster, type ClusterRequest, clusterRequests, clusters } from '@chandlery/clusters/kinds';
import { ClusterObjects } from './cluster-objects.ts';
import { causedBy, clustersBehind, type Landscape, onboardingName, type Placed, platformName } from './links.ts';
import { lookupsOf, managerOf, sharedSelector } from './lookups-of.ts';
import { mergeLookups, type ObjectLookup } from './object-lookup.ts';

/** What was found on a cluster. */
export interface FoundObjects {
  readonly objects: readonly KubeObject[];
  /** Whether these are all objects of the cluster, as of one that knows no lookups. Default false. */
  readonly isWhole?: boolean;
}

/** The clusters that a trace is read from. */
export interface TraceSource {
  /**
   * Looks up objects of a cluster by its name; `cluster` is given for those that the platform cluster names. Undefined: the
   * caller may not read it.
   */
  lookUp(name: string, lookup: ObjectLookup, cluster: Cluster | undefined): Promise<FoundObjects | undefined>;
  /** All objects of a kind of the platform cluster that the caller may list. */
  listPlatform(plural: string): Promise<readonly KubeObject[]>;
}

/** What a trace leads to. */
export interface ExploredTrace {
  /** The objects that were found, enough to trace the root. */
  readonly landscape: Landscape;
  /** The clusters that were asked and that the caller may not read. */
  readonly hidden: readonly string[];
  /** The clusters that the platform cluster names, of those that were asked. */
  readonly clusters: readonly Cluster[];
}

/**
 * Reads what an object caused, level by level: one lookup on each cluster finds what the objects of a level caused. So a
 * trace costs as much as it is large, whatever else there is. Only an object that reaches beyond its cluster takes a list of
 * the clusters.
 */
export async function exploreTrace(root: Placed, source: TraceSource): Promise<ExploredTrace> {
  const exploration = new Exploration(root, source);
  while (await exploration.step());
  return exploration.result();
}

class Exploration {
  readonly #root: Placed;
  readonly #source: TraceSource;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #whole = new Set<string>();
  readonly #hidden = new Set<string>();
  /** Nodes whose lookups were made, and lookups that are made once for all nodes. */
  readonly #done = new Set<string>();
  /** The requests and clusters of the platform cluster. */
  #platform: ClusterObjects | undefined;
  /** The clusters that the platform cluster names and that the trace may lead to. */
  readonly #behind = new Map<string, Cluster>();

  constructor(root: Placed, source: TraceSource) {
    this.#root = root;
    this.#source = source;
    this.#add(root.cluster, [root.object]);
  }

  /** Makes the lookups of objects that are new; false when there are none. */
  async step(): Promise<boolean> {
    const wanted = new Map<string, ObjectLookup>();
    const want = (cluster: string, lookup: ObjectLookup): void =>
      void wanted.set(cluster, mergeLookups(wanted.get(cluster) ?? {}, lookup));
    for (const placed of this.#newNodes()) {
      const { here, platform, everywhere } = lookupsOf(placed);
      want(placed.cluster, here);
      if (platform !== undefined) want(platformName, platform);
      if (everywhere !== undefined) for (const name of await this.#clustersFor(placed)) want(name, everywhere);
    }
    for (const [name, lookup] of this.#sharedLookups()) want(name, lookup);
    await Promise.all([...wanted].map(([name, lookup]) => this.#lookUp(name, lookup)));
    return wanted.size > 0;
  }

  result(): ExploredTrace {
    return { landscape: this.#landscape(), hidden: [...this.#hidden].toSorted(), clusters: [...this.#behind.values()] };
  }

  /** The nodes of the tree so far, and configurations that may belong to it, that were not looked up yet. */
  #newNodes(): readonly Placed[] {
    const landscape = this.#landscape();
    const found: Placed[] = [];
    const seen = new Set<KubeObject>();
    const level: Placed[] = [this.#root];
    for (let placed = level.pop(); placed !== undefined; placed = level.pop()) {
      if (seen.has(placed.object)) continue;
      seen.add(placed.object);
      found.push(placed);
      for (const child of causedBy(placed, landscape)) level.push(child);
    }
    for (const object of landscape.get(platformName)?.inNamespace('') ?? [])
      if (!seen.has(object)) found.push({ cluster: platformName, object });
    return found.filter(({ cluster, object }) => this.#isNew(`${cluster}/${object.metadata.uid}`));
  }

  /** Only a trace that reaches beyond its cluster can lead to what services share. */
  #sharedLookups(): readonly (readonly [string, ObjectLookup])[] {
    if (this.#platform === undefined) return [];
    const managers = [...this.#objects.values()].flatMap(objects => [...objects.values()].map(managerOf));
    const known = [...new Set(managers)].filter(manager => manager !== undefined && manager !== '');
    return this.#names([...this.#behind.keys()]).flatMap(name =>
      known
        .filter(manager => this.#isNew(`shared ${manager} ${name}`))
        .map(manager => [name, { labelSelectors: [sharedSelector(manager ?? '')] }] as const),
    );
  }

  #isNew(id: string): boolean {
    if (this.#done.has(id)) return false;
    this.#done.add(id);
    return true;
  }

  /** The clusters that an object may have put something on, or the root for it. */
  async #clustersFor(placed: Placed): Promise<readonly string[]> {
    this.#platform ??= await this.#readPlatform();
    const behind = [this.#root, placed].flatMap(cause => clustersBehind(cause, this.#platform));
    for (const cluster of behind) this.#behind.set(cluster.metadata.name ?? '', cluster);
    return this.#names(behind.map(({ metadata }) => metadata.name ?? ''));
  }

  #names(behind: readonly string[]): readonly string[] {
    return [...new Set([this.#root.cluster, onboardingName, platformName, ...behind])];
  }

  async #readPlatform(): Promise<ClusterObjects> {
    const [requests, known] = await Promise.all(
      ['clusterrequests', 'clusters'].map(plural => this.#source.listPlatform(plural)),
    );
    return new ClusterObjects([
      ...(requests ?? []).map(object => ({ ...object, kind: clusterRequests.kind }) as ClusterRequest),
      ...(known ?? []).map(object => ({ ...object, kind: clusters.kind }) as Cluster),
    ]);
  }

  async #lookUp(name: string, lookup: ObjectLookup): Promise<void> {
    if (this.#whole.has(name) || this.#hidden.has(name) || Object.keys(lookup).length === 0) return;
    const cluster = this.#behind.get(name);
    const found = await this.#source.lookUp(name, lookup, cluster);
    if (found === undefined) return void this.#hidden.add(name);
    if (found.isWhole) this.#whole.add(name);
    this.#add(name, found.objects);
  }

  /** An object is kept as it was found first: nodes of the tree are known by it. */
  #add(name: string, objects: readonly KubeObject[]): void {
    const known = this.#objects.get(name) ?? new Map<string, KubeObject>();
    this.#objects.set(name, known);
    for (const object of objects) {
      const { uid = '' } = object.metadata;
      if (!known.has(uid)) known.set(uid, object);
    }
  }

  #landscape(): Landscape {
    return new Map([...this.#objects].map(([name, objects]) => [name, new ClusterObjects([...objects.values()])]));
  }
}
