import { apiError } from '@chandlery/api';
import type { ServiceCatalog } from '../catalog/service-catalog.ts';
import type { MeshSpec } from '../directory/mesh-spec.ts';
import type { MeshGraph, MeshInfo } from '../kinds/rest-documents.ts';
import type { GraphSelection } from '../model/policy/mesh-graph.ts';
import { parseServiceKey } from '../model/service-name.ts';

/** The mesh of a cluster: its name, and what applies in all of it. */
export const showMesh = ({ tenant, clusters, topologyCluster, isPermissive, traffic }: MeshSpec): MeshInfo => ({
  mesh: tenant,
  clusters,
  topologyCluster,
  isPermissive,
  ...traffic,
});

const defaultLimit = 100;
const maxLimit = 500;

/**
 * The graph that a query selects: `service` with its neighbours, or the page of all services that `search`, `offset` and
 * `limit` describe.
 */
export async function showGraph(catalog: ServiceCatalog, query: Readonly<Record<string, unknown>>): Promise<MeshGraph> {
  const graph = await catalog.graph(selectionOf(query));
  return { isPermissive: catalog.topology.isPermissive, ...graph };
}

function selectionOf({ service, search, ...page }: Readonly<Record<string, unknown>>): GraphSelection {
  const focus = typeof service === 'string' && service !== '' ? parseServiceKey(service) : undefined;
  if (service !== undefined && service !== '' && focus === undefined)
    throw apiError('BadRequest', 'the parameter "service" must be namespace/service');
  return {
    offset: integerOf(page['offset'], 'offset', { fallback: 0, min: 0, max: 1_000_000 }),
    limit: integerOf(page['limit'], 'limit', { fallback: defaultLimit, min: 1, max: maxLimit }),
    ...(focus && { focus }),
    ...(typeof search === 'string' && { search }),
  };
}

interface Bounds {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

function integerOf(text: unknown, parameter: string, { fallback, min, max }: Bounds): number {
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw apiError('BadRequest', `the parameter "${parameter}" must be an integer from ${min} to ${max}`);
}
