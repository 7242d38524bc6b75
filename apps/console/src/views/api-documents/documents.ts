import { clusterPath } from '../../api/kinds.ts';
import { requestJson } from '../../api/request.ts';
import type { OpenApi } from './open-api.ts';

/** A document of the landscape. */
export interface ApiDocument {
  /** In addresses. */
  readonly id: string;
  readonly title: string;
  readonly group: 'The landscape' | 'Kubernetes';
  readonly path: string;
}

const titles: Readonly<Record<string, string>> = {
  serviceManager: 'Service manager',
  fleet: 'Fleet',
  orders: 'Services and orders',
  mesh: 'Mesh',
};

interface LandscapeDocument {
  readonly documents?: Readonly<Record<string, string>>;
}

interface ClusterIndex {
  readonly paths?: Readonly<Record<string, { readonly serverRelativeURL?: string }>>;
}

/** The documents of the landscape, and those of the kinds of a cluster. */
export async function listDocuments(cluster: string, signal: AbortSignal): Promise<readonly ApiDocument[]> {
  const root = `${clusterPath(cluster)}/openapi/v3`;
  const [{ documents = {} }, { paths = {} }] = await Promise.all([
    requestJson<LandscapeDocument>('/', { headers: { accept: 'application/json' }, signal }),
    requestJson<ClusterIndex>(root, { signal }),
  ]);
  const ofLandscape = Object.entries(documents)
    .filter(([, path]) => !path.includes('{'))
    .map(([id, path]): ApiDocument => ({ id, title: titles[id] ?? id, group: 'The landscape', path }));
  const ofCluster = Object.keys(paths).map(
    (id): ApiDocument => ({ id, title: id.replace(/^apis?\//, ''), group: 'Kubernetes', path: `${root}/${id}` }),
  );
  return [...ofLandscape, ...ofCluster];
}

/** A document. Those of clusters name paths without the cluster. */
export async function readDocument(
  { path, group }: ApiDocument,
  cluster: string,
  signal: AbortSignal,
): Promise<OpenApi> {
  const document = await requestJson<OpenApi>(path, { signal });
  if (group !== 'Kubernetes') return document;
  const prefix = clusterPath(cluster);
  const paths = Object.entries(document.paths ?? {}).map(([each, item]) => [`${prefix}${each}`, item] as const);
  return { ...document, paths: Object.fromEntries(paths) };
}
