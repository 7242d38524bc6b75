import { ApiFailure } from './api-failure.ts';
import { requestJson } from './request.ts';

/** What an instance type or a cluster holds, in units of capacity. */
interface Occupancy {
  readonly used: number;
  /** `null`: no limit. */
  readonly limit: number | null;
}

/** A region of a product with its clusters. */
export interface RegionCapacity {
  readonly cloud_provider: string;
  readonly region: string;
  readonly display_name: string;
  readonly instance_types: readonly (Occupancy & { readonly id: string })[];
  readonly clusters: readonly ClusterCapacity[];
}

/** A cluster, as the report of capacity has it. */
export interface ClusterCapacity extends Occupancy {
  readonly cluster_id: string;
  readonly status: string;
  readonly takes_new: boolean;
  readonly draining: boolean;
  readonly lost: boolean;
  readonly agent_silent: boolean;
  readonly last_seen_at: string | null;
  readonly failed_reason?: string;
  readonly agent_message?: string;
}

/** A source of quota with what is used of it. */
export interface QuotaLine extends Occupancy {
  readonly type: 'organisation' | 'account' | 'trial';
  readonly organisation?: string;
  readonly username?: string;
  readonly source: string;
  readonly users?: readonly string[];
}

/** Where quota comes from, in words. */
export function quotaSource(source: string): string {
  if (source === 'document') return 'the configuration';
  if (source === 'document *') return 'the configuration, as for all without an entry of their own';
  return source === 'settings' ? 'the settings of trials' : source.replace(/^grant\//, 'the grant ');
}

/** An instance, as lists of REST have it. Operators see more of it. */
export interface ListedInstance {
  readonly id: string;
  readonly name?: string;
  readonly status?: string;
  readonly failed_reason?: string;
  readonly owner?: string;
  readonly organisation_id?: string;
  readonly region?: string;
  readonly cloud_provider?: string;
  readonly host?: string;
  readonly admin_api_server_url?: string;
  readonly version?: string;
  readonly instance_type?: string;
  readonly instance_type_name?: string;
  readonly size_id?: string;
  readonly cluster_id?: string;
  readonly created_at?: string;
  readonly expires_at?: string | null;
}

/** Why an instance is where it is. */
export interface Placement {
  readonly cluster_id?: string;
  readonly clusters: readonly {
    readonly cluster_id: string;
    readonly verdict: 'current' | 'next' | 'possible' | 'passed-over';
    readonly reason?: string;
  }[];
}

/** A page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Which page of a list, and what is searched. */
export interface PageRequest {
  /** The first is 1. */
  readonly page: number;
  readonly size: number;
  /** Default: everything. */
  readonly search?: string;
}

const landscape = '/api/fleet_mgmt/v1';
const productPath = (product: string): string => `/api/${encodeURIComponent(product)}_mgmt/v1`;

const itemsOf = async <T>(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal) =>
  (await requestJson<ListPage<T>>(path, { query, signal })).items;

/** The ids of all products. The marketplace has them for all users. */
export async function readProductIds(signal: AbortSignal): Promise<readonly string[]> {
  const offerings = await itemsOf<{ readonly name: string }>(
    '/v1/service_offerings',
    { fieldQuery: "broker_id eq 'landscape-fleet'" },
    signal,
  );
  return offerings.map(({ name }) => name).toSorted();
}

/** The regions of a product and their clusters, with what they hold. For operators. */
export const readCapacity = (product: string, signal: AbortSignal): Promise<readonly RegionCapacity[]> =>
  itemsOf(`${landscape}/capacity`, { product }, signal);

/** All quota of a product, or that of one organisation. For operators. */
export const readQuota = (product: string, organisation: string, signal: AbortSignal): Promise<readonly QuotaLine[]> =>
  itemsOf(`${landscape}/quota`, { product, organisation }, signal);

/** The quota of one organisation, for operators and for its members. */
export async function readQuotaOf(
  product: string,
  organisation: string,
  signal: AbortSignal,
): Promise<readonly QuotaLine[]> {
  try {
    return await readQuota(product, organisation, signal);
  } catch (error) {
    if (!(error instanceof ApiFailure && error.status === 403)) throw error;
    return itemsOf(`${productPath(product)}/quota`, { organisation }, signal);
  }
}

/** The instances on a cluster. For operators. */
export const readInstancesOn = (
  product: string,
  clusterId: string,
  { page, size }: PageRequest,
  signal: AbortSignal,
): Promise<ListPage<ListedInstance>> =>
  requestJson(`${productPath(product)}/admin/${encodeURIComponent(product)}`, {
    query: { page, size, search: `cluster_id = ${quoted(clusterId)}`, orderBy: 'name' },
    signal,
  });

/** The instances of an organisation, for its members. */
export const readOwnInstances = (
  product: string,
  organisation: string,
  { page, size, search = '' }: PageRequest,
  signal: AbortSignal,
): Promise<ListPage<ListedInstance>> =>
  requestJson(`${productPath(product)}/${encodeURIComponent(product)}`, {
    query: {
      organisation,
      page,
      size,
      orderBy: 'name',
      search: search === '' ? undefined : `name like ${quoted(`%${search}%`)}`,
    },
    signal,
  });

/** An instance of an organisation, for its members. */
export const readOwnInstance = (
  product: string,
  id: string,
  organisation: string,
  signal: AbortSignal,
): Promise<ListedInstance> =>
  requestJson(`${productPath(product)}/${encodeURIComponent(product)}/${encodeURIComponent(id)}`, {
    query: { organisation },
    signal,
  });

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Why an instance is where it is, or nowhere. For operators. */
export const readPlacement = (id: string, signal: AbortSignal): Promise<Placement> =>
  requestJson(`${landscape}/instances/${encodeURIComponent(id)}/placement`, { signal });

/** Keeps new instances away from a cluster, or lets them in again. */
export const drainCluster = (product: string, clusterId: string, draining: boolean): Promise<unknown> =>
  requestJson(`${landscape}/clusters/${encodeURIComponent(clusterId)}/drain`, {
    method: 'PUT',
    query: { product },
    body: { draining },
  });
