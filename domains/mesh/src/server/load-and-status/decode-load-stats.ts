import { ChandleryError } from '@chandlery/api';
import type protobuf from 'protobufjs';
import { type DiscoveryNode, decodeNode, emptyNode } from '../decode/decode-node.ts';
import { WireReader } from '../decode/wire-reader.ts';
import type { ClusterLoad, LocalityLoad } from './load-reports.ts';

/** A `LoadStatsRequest`. */
export interface LoadStats {
  /** Present in the first request. */
  readonly node?: DiscoveryNode;
  readonly loads: readonly ClusterLoad[];
}

/** protobufjs' plain form of the messages, with 64-bit numbers as numbers and all lists present. */
interface PlainStats {
  readonly cluster_stats: readonly PlainCluster[];
}
interface PlainCluster {
  readonly cluster_name: string;
  readonly upstream_locality_stats: readonly PlainLocality[];
  readonly dropped_requests: readonly { readonly category: string; readonly dropped_count: number }[];
  readonly load_report_interval?: { readonly seconds: number; readonly nanos: number } | null;
}
interface PlainLocality {
  readonly locality?: { readonly region: string; readonly zone: string; readonly sub_zone: string } | null;
  readonly total_successful_requests: number;
  readonly total_requests_in_progress: number;
  readonly total_error_requests: number;
  readonly total_issued_requests: number;
}

/** Decodes a `LoadStatsRequest`. Throws `InvalidMessage`. */
export function decodeLoadStats(message: Buffer, root: protobuf.Root): LoadStats {
  const node = nodeOf(message);
  const loads = decode(message, root).cluster_stats.map(toClusterLoad);
  return node ? { node, loads } : { loads };
}

function decode(message: Buffer, root: protobuf.Root): PlainStats {
  const type = root.lookupType('envoy.service.load_stats.v3.LoadStatsRequest');
  try {
    return type.toObject(type.decode(message), { longs: Number, defaults: true }) as PlainStats;
  } catch (cause) {
    throw new ChandleryError('InvalidMessage', 'cannot read the load report', { cause });
  }
}

function nodeOf(message: Buffer): DiscoveryNode | undefined {
  const reader = new WireReader(message);
  let node: DiscoveryNode | undefined;
  for (let field = reader.nextField(); field !== 0; field = reader.nextField()) {
    if (field === 1) node = decodeNode(reader.message(), node ?? emptyNode());
    else reader.skip();
  }
  return node;
}

const toClusterLoad = (stats: PlainCluster): ClusterLoad => ({
  cluster: stats.cluster_name,
  intervalMs: (stats.load_report_interval?.seconds ?? 0) * 1000 + (stats.load_report_interval?.nanos ?? 0) / 1e6,
  localities: stats.upstream_locality_stats.map(toLocalityLoad),
  dropped: Object.fromEntries(stats.dropped_requests.map(({ category, dropped_count: count }) => [category, count])),
});

const toLocalityLoad = (stats: PlainLocality): LocalityLoad => ({
  region: stats.locality?.region ?? '',
  zone: stats.locality?.zone ?? '',
  subZone: stats.locality?.sub_zone ?? '',
  issued: stats.total_issued_requests,
  successful: stats.total_successful_requests,
  failed: stats.total_error_requests,
  inProgress: stats.total_requests_in_progress,
});
