import type { Condition, KubeObject } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import { conditionsOf } from '@chandlery/runtime';
import { discoverKinds, type ServedKind } from '../resources/discover.ts';
import { labelOf } from '../resources/scope.ts';

/** How many objects a domain has, and which of them are not ready. */
export interface DomainCount {
  readonly domain: string;
  readonly objects: number;
  /** Whether there are more objects than were read. */
  readonly isMore: boolean;
  /** `serviceprovider/postgres: why`. */
  readonly notReady: readonly string[];
}

/** What was counted, and which kinds the caller may not read. */
export interface Counted {
  readonly domains: readonly DomainCount[];
  readonly isPartial: boolean;
}

/** No more objects of a kind are read. */
const maxRead = 500;

/** API groups by the domain that they belong to. */
const domainOfGroup: Readonly<Record<string, string>> = {
  'clusters.openmcp.cloud': 'clusters',
  'clusters.chandlery.io': 'clusters',
  'openmcp.cloud': 'providers',
  'core.openmcp.cloud': 'tenants',
  'core.open-control-plane.io': 'tenants',
  'core.chandlery.io': 'tenants',
  'brokers.chandlery.io': 'brokers',
  'fleet.chandlery.io': 'fleet',
  'orders.chandlery.io': 'orders',
  'workflows.chandlery.io': 'orders',
  'argoproj.io': 'orders',
  'mesh.chandlery.io': 'mesh',
};

/** Groups that every Kubernetes API has, and that of records; what remains are the kinds of providers. */
const isBuiltIn = (group: string): boolean =>
  !group.includes('.') || group.endsWith('.k8s.io') || group.endsWith('smi-spec.io') || group === 'audit.chandlery.io';

/** Counts the objects of all domains on some clusters, as far as the caller may read them. */
export async function countDomains(clusters: readonly HttpClient[]): Promise<Counted> {
  const read = (await Promise.all(clusters.map(readCluster))).flat();
  const byDomain = Map.groupBy(read, ({ domain }) => domain);
  return {
    domains: [...byDomain].sort(([a], [b]) => a.localeCompare(b)).map(([domain, kinds]) => sumOf(domain, kinds)),
    isPartial: read.some(({ objects }) => objects === undefined),
  };
}

interface KindRead {
  readonly domain: string;
  readonly kind: ServedKind;
  /** Undefined when the caller may not list them. */
  readonly objects: readonly KubeObject[] | undefined;
  readonly isMore: boolean;
}

async function readCluster(client: HttpClient): Promise<KindRead[]> {
  const kinds = await discoverKinds(client);
  const counted = kinds.filter(({ verbs, ref }) => verbs.includes('list') && !isBuiltIn(ref.group));
  const preferred = new Map(counted.toReversed().map(kind => [`${kind.ref.plural}.${kind.ref.group}`, kind])).values();
  return Promise.all([...preferred].map(kind => readKind(client, kind)));
}

async function readKind(client: HttpClient, kind: ServedKind): Promise<KindRead> {
  const domain = domainOfGroup[kind.ref.group] ?? 'services';
  const list = await client.list(kind.ref, { limit: maxRead }).catch(() => undefined);
  return { domain, kind, objects: list?.items, isMore: (list?.metadata.continue ?? '') !== '' };
}

const sumOf = (domain: string, kinds: readonly KindRead[]): DomainCount => ({
  domain,
  objects: kinds.reduce((sum, { objects = [] }) => sum + objects.length, 0),
  isMore: kinds.some(({ isMore }) => isMore),
  notReady: kinds.flatMap(({ kind, objects = [] }) => objects.flatMap(object => problemOf(kind, object) ?? [])),
});

/** Why an object is not ready; undefined when it is, or has no such condition. */
export function problemOf(kind: ServedKind, object: KubeObject): string | undefined {
  const ready = conditionsOf(object).find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True' || isMeantSo(kind, object, ready)) return undefined;
  const { name = '', namespace } = object.metadata;
  const place = namespace === undefined ? '' : ` (${namespace})`;
  return `${labelOf({ ...kind, ref: { ...kind.ref, group: '' } }, name)}${place}: ${ready.reason ?? ready.status}`;
}

/** In a landscape without local clusters providers run elsewhere, and its own cluster has no node for them. */
const isMeantSo = ({ kind }: ServedKind, { metadata }: KubeObject, { reason }: Condition): boolean =>
  kind === 'Cluster' && metadata.name === 'platform' && reason === 'NoNode';
