import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import { hash8, shorten } from '../../kinds/hashed-names.ts';
import { clusterNames, systemNamespace } from '../../kinds/names.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';

/** What the configuration says of one purpose. */
export type PurposeRule = SchedulerConfig['spec']['purposes'][string];

/** Where a namespaced object is. */
export interface Place {
  readonly name: string;
  readonly namespace: string;
}

/** What a template says of the metadata of new clusters. */
export interface TemplateMetadata {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const templateMetadata = ({ template }: PurposeRule): TemplateMetadata => template.metadata ?? {};

export const isExclusive = ({ spec }: Pick<Cluster, 'spec'>): boolean => spec.tenancy === 'Exclusive';

/** How many requests a cluster may have at a time. */
export const tenancyLimit = (cluster: Pick<Cluster, 'spec'>, rule: PurposeRule | undefined): number => {
  if (isExclusive(cluster)) return 1;
  return rule === undefined || rule.tenancyCount === 0 ? Number.POSITIVE_INFINITY : rule.tenancyCount;
};

/**
 * What a new cluster is called. One that any number of requests share has a name of its own; of others there may be
 * many, so the request that they were made for is in the name, which is found again after a restore.
 */
export function newClusterName(request: ClusterRequest, rule: PurposeRule, randomSuffix: () => string): string {
  const { name, generateName } = templateMetadata(rule);
  const purpose = asName(request.spec.purpose);
  const isOneForAll = tenancyLimit(rule.template, rule) === Number.POSITIVE_INFINITY && generateName === undefined;
  const isRandom = request.metadata.labels?.[clusterNames.randomNameLabel] === 'true';
  if (isOneForAll && !isRandom) return shorten(name ?? purpose);
  return shorten(`${generateName ?? `${purpose}-`}${isRandom ? randomSuffix() : hashOf(request)}`);
}

/** Purposes are any words, names are not. */
const asName = (purpose: string): string =>
  purpose
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'cluster';

const hashOf = ({ metadata: { namespace = '', name = '' } }: ClusterRequest): string => hash8(namespace, name);

/** Where a new cluster goes: beside the request if only those may be given to it. */
export const newClusterNamespace = (
  request: ClusterRequest,
  rule: PurposeRule,
  scope: SchedulerConfig['spec']['scope'],
): string =>
  (scope === 'Namespaced' ? request.metadata.namespace : templateMetadata(rule).namespace) ?? systemNamespace;
