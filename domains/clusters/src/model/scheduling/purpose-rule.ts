import type { Cluster } from '../../kinds/cluster.ts';
import type { ClusterRequest } from '../../kinds/cluster-request.ts';
import { hash8, shorten } from '../../kinds/hashed-names.ts';
import { clusterNames, systemNamespace } from '../../kinds/names.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';

/** The configuration of one purpose. */
export type PurposeRule = SchedulerConfig['spec']['purposes'][string];

/** Where a namespaced object is. */
export interface Place {
  readonly name: string;
  readonly namespace: string;
}

/** The metadata of new clusters in a template. */
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
 * The name of a new cluster. One that any number of requests share is named after the purpose; others also have the
 * name of the request, which is found again after a restore.
 */
export function newClusterName(request: ClusterRequest, rule: PurposeRule, randomSuffix: () => string): string {
  const { name, generateName } = templateMetadata(rule);
  const purpose = asName(request.spec.purpose);
  const isOneForAll = tenancyLimit(rule.template, rule) === Number.POSITIVE_INFINITY && generateName === undefined;
  const isRandom = request.metadata.labels?.[clusterNames.randomNameLabel] === 'true';
  if (isOneForAll && !isRandom) return shorten(name ?? purpose);
  return shorten(`${generateName ?? `${purpose}-`}${isRandom ? randomSuffix() : hashOf(request)}`);
}

/** Purposes are any text, names are not. */
const asName = (purpose: string): string =>
  purpose
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'cluster';

const hashOf = ({ metadata: { namespace = '', name = '' } }: ClusterRequest): string => hash8(namespace, name);

/** The namespace of a new cluster: that of the request if only clusters there may be used for it. */
export const newClusterNamespace = (
  request: ClusterRequest,
  rule: PurposeRule,
  scope: SchedulerConfig['spec']['scope'],
): string =>
  (scope === 'Namespaced' ? request.metadata.namespace : templateMetadata(rule).namespace) ?? systemNamespace;
