import { isError, type KubeObject } from '@chandlery/api';
import type { ResourceRef } from '@chandlery/client';

/** What reading a cluster needs of a client; every HTTP client has it, that of a browser too. */
export interface ReadClient {
  raw(path: string): Promise<{ json(): Promise<unknown> }>;
  listAll<T extends KubeObject = KubeObject>(ref: ResourceRef): AsyncIterable<T>;
}

/** A snapshot of all objects of a cluster, indexed by their references. */
export class ClusterObjects {
  readonly all: readonly KubeObject[];
  readonly #byUid: ReadonlyMap<string, KubeObject>;
  readonly #byOwner: ReadonlyMap<string, readonly KubeObject[]>;

  constructor(objects: readonly KubeObject[]) {
    this.all = objects;
    this.#byUid = new Map(objects.map(object => [object.metadata.uid ?? '', object]));
    const owned = objects.flatMap(object =>
      (object.metadata.ownerReferences ?? []).map(({ uid }) => [uid, object] as const),
    );
    this.#byOwner = new Map(
      Map.groupBy(owned, ([uid]) => uid)
        .entries()
        .map(([uid, pairs]) => [uid, pairs.map(([, object]) => object)]),
    );
  }

  ownedBy(uid: string): readonly KubeObject[] {
    return this.#byOwner.get(uid) ?? [];
  }

  find(
    kind: string,
    { namespace, name }: { readonly namespace?: string; readonly name: string },
  ): KubeObject | undefined {
    return this.all.find(
      object =>
        object.kind === kind &&
        object.metadata.name === name &&
        (object.metadata.namespace ?? '') === (namespace ?? ''),
    );
  }

  has(uid: string): boolean {
    return this.#byUid.has(uid);
  }
}

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
