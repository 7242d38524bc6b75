import { isError, type KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';
import { ownerKeysOf } from '../objects/ownership.ts';

/** What reading a cluster needs of a client; every HTTP client has it, that of a browser too. */
export interface ReadClient {
  raw(path: string): Promise<{ json(): Promise<unknown> }>;
  listAll<T extends KubeObject = KubeObject>(ref: ResourceRef): AsyncIterable<T>;
}

/** A snapshot of objects of a cluster, indexed by their references. */
export class ClusterObjects {
  readonly all: readonly KubeObject[];
  readonly #byUid: ReadonlyMap<string, KubeObject>;
  readonly #byOwner: Index;
  readonly #byPlace: Index;
  /** Made when they are asked for. */
  #byKey: Index | undefined;
  #byLabel: Index | undefined;
  #byNamespace: Index | undefined;

  constructor(objects: readonly KubeObject[]) {
    this.all = objects;
    this.#byUid = new Map(objects.map(object => [object.metadata.uid ?? '', object]));
    this.#byOwner = indexBy(objects, ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid));
    this.#byPlace = indexBy(objects, ({ kind, metadata: { namespace, name = '' } }) => [
      placeText(kind, { namespace, name }),
    ]);
  }

  ownedBy(uid: string): readonly KubeObject[] {
    return this.#byOwner.get(uid) ?? [];
  }

  find(kind: string, place: { readonly namespace?: string; readonly name: string }): KubeObject | undefined {
    return this.#byPlace.get(placeText(kind, place))?.[0];
  }

  /** The objects that a provider keeps for a service object, or for all of them, by the key of that. */
  keptFor(key: string): readonly KubeObject[] {
    this.#byKey ??= indexBy(this.all, ownerKeysOf);
    return this.#byKey.get(key) ?? [];
  }

  /** Empty namespace: the cluster-scoped objects. */
  inNamespace(namespace: string): readonly KubeObject[] {
    this.#byNamespace ??= indexBy(this.all, ({ metadata }) => [metadata.namespace ?? '']);
    return this.#byNamespace.get(namespace) ?? [];
  }

  /** The objects that have all of some labels. */
  labelled(labels: Readonly<Record<string, string>>): readonly KubeObject[] {
    this.#byLabel ??= indexBy(this.all, ({ metadata }) => Object.entries(metadata.labels ?? {}).map(labelText));
    const [first, ...others] = Object.entries(labels);
    if (first === undefined) return [];
    const candidates = this.#byLabel.get(labelText(first)) ?? [];
    return candidates.filter(({ metadata }) => others.every(([key, value]) => metadata.labels?.[key] === value));
  }

  has(uid: string): boolean {
    return this.#byUid.has(uid);
  }
}

type Index = ReadonlyMap<string, readonly KubeObject[]>;

function indexBy(objects: readonly KubeObject[], keysOf: (object: KubeObject) => readonly string[]): Index {
  const index = new Map<string, KubeObject[]>();
  for (const object of objects)
    for (const key of keysOf(object)) {
      const known = index.get(key);
      if (known === undefined) index.set(key, [object]);
      else known.push(object);
    }
  return index;
}

const placeText = (
  kind: string,
  { namespace = '', name }: { readonly namespace?: string | undefined; readonly name: string },
): string => [kind, namespace, name].join('|');
const labelText = ([key, value]: readonly [string, string]): string => `${key}=${value}`;

interface ApiResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

type Listable = ResourceRef & Pick<ApiResource, 'kind' | 'namespaced'>;

/** Kinds that change all the time and cause nothing. */
const noise = new Set(['events', 'leases', 'componentstatuses', 'endpoints']);

/** Which objects of a cluster are read. */
export interface ReadScope {
  /** Of kinds that the caller may not list everywhere, the objects in this namespace are read. */
  readonly fallback?: string | undefined;
  /** Only objects in this namespace are read, and those without a namespace. Default: in all namespaces. */
  readonly only?: string | undefined;
}

/** Reads objects of a cluster that can be listed. Computed objects, such as metrics, have no uid and are left out. */
export async function readCluster(client: ReadClient, { fallback, only }: ReadScope = {}): Promise<ClusterObjects> {
  const resources = await listableResources(client);
  const lists = await Promise.all(
    resources.map(resource => {
      const isNarrow = only !== undefined && resource.namespaced;
      return listObjects(client, isNarrow ? { ...resource, namespace: only } : resource, fallback);
    }),
  );
  const seen = new Set<string>(['']);
  // The same object may be served under several groups or versions.
  const objects = lists.flat().filter(({ metadata: { uid = '' } }) => !seen.has(uid) && seen.add(uid));
  return new ClusterObjects(objects);
}

async function listObjects(client: ReadClient, resource: Listable, fallback?: string): Promise<KubeObject[]> {
  const { kind, namespaced: isNamespaced, ...ref } = resource;
  const apiVersion = ref.group === '' ? ref.version : `${ref.group}/${ref.version}`;
  const objects: KubeObject[] = [];
  try {
    // Items of lists have no kind.
    for await (const item of client.listAll(ref)) objects.push({ ...item, apiVersion, kind });
  } catch (error) {
    if (!isError(error, 'NotFound', 'MethodNotAllowed', 'Forbidden')) throw error;
    const canNarrow =
      isNamespaced && fallback !== undefined && ref.namespace === undefined && isError(error, 'Forbidden');
    if (canNarrow) return listObjects(client, { ...resource, namespace: fallback });
  }
  return objects;
}

async function listableResources(client: ReadClient): Promise<Listable[]> {
  const { groups = [] } = await json<{ groups?: { preferredVersion: { groupVersion: string } }[] }>(client, '/apis');
  const versions = ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
  const lists = await Promise.all(versions.map(groupVersion => resourcesOf(client, groupVersion)));
  return lists.flat();
}

async function resourcesOf(client: ReadClient, groupVersion: string): Promise<Listable[]> {
  const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
  const { resources = [] } = await json<{ resources?: ApiResource[] }>(client, path);
  const [group, version] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
  return resources
    .filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list') && !noise.has(name))
    .map(({ name, kind, namespaced }) => ({
      group: group ?? '',
      version: version ?? '',
      plural: name,
      kind,
      namespaced,
    }));
}

const json = async <T>(client: ReadClient, path: string): Promise<T> => (await (await client.raw(path)).json()) as T;
