import { type Cluster, clusters } from '../../kinds/cluster.ts';
import { type ClusterRequest, clusterRequests } from '../../kinds/cluster-request.ts';
import type { Capability } from '../../kinds/common.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';
import { holdersOf, holdOf } from './holds.ts';
import type { SchedulingView } from './plan.ts';
import type { PurposeRule } from './purpose-rule.ts';

/** Parts of decisions, for tests. */
export interface ClusterParts {
  readonly namespace?: string;
  readonly holders?: readonly string[];
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly tenancy?: 'Shared' | 'Exclusive';
  readonly purposes?: string[];
  readonly isDeleting?: boolean;
  /** Default: not stated yet. */
  readonly capabilities?: Capability[];
  /** The status of the condition `RunReady`. Default: not stated yet. */
  readonly runReady?: 'True' | 'False';
}

export function testCluster(name: string, parts: ClusterParts = {}): Cluster {
  const { namespace = 'openmcp-system', holders = [], labels = {}, annotations = {} } = parts;
  const { tenancy = 'Shared', purposes = ['p'], isDeleting = false } = parts;
  const cluster = clusters.object(
    {
      name,
      namespace,
      labels,
      annotations,
      finalizers: ['clusters.openmcp.cloud/finalizer', ...holders.map(holdOf)],
      ...(isDeleting && { deletionTimestamp: '2030-01-01T00:00:00Z' }),
    },
    { profile: 'logical', purposes, tenancy },
  );
  const { capabilities, runReady } = parts;
  if (capabilities !== undefined) cluster.status = { capabilities };
  if (runReady !== undefined) {
    const conditions = [{ type: 'RunReady', status: runReady, reason: 'Test', message: `it is ${runReady}` }];
    cluster.status = { ...cluster.status, conditions };
  }
  return cluster;
}

export interface RequestParts {
  readonly uid?: string;
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly given?: string;
  readonly waitForClusterDeletion?: boolean;
  readonly purpose?: string;
  readonly requiredCapabilities?: Capability[];
}

export function testRequest(parts: RequestParts = {}): ClusterRequest {
  const { uid = 'me', namespace = 'default', labels = {}, annotations = {}, given, purpose = 'p' } = parts;
  const { waitForClusterDeletion, requiredCapabilities } = parts;
  const request = clusterRequests.object(
    { name: 'r', namespace, uid, labels, annotations },
    {
      purpose,
      ...(waitForClusterDeletion === undefined ? {} : { waitForClusterDeletion }),
      ...(requiredCapabilities && { requiredCapabilities }),
    },
  );
  if (given !== undefined) request.status = { cluster: { name: given, namespace: 'openmcp-system' } };
  return request;
}

export interface RuleParts extends Partial<Pick<PurposeRule, 'tenancyCount' | 'selector' | 'requiredCapabilities'>> {
  /** The template's. Default: logical. */
  readonly profile?: string;
  readonly tenancy?: 'Shared' | 'Exclusive';
  readonly metadata?: Record<string, unknown>;
}

export const testConfig = (
  { tenancy = 'Shared', tenancyCount = 0, metadata = {}, selector, profile = 'logical', ...rest }: RuleParts = {},
  more: Partial<Pick<SchedulerConfig['spec'], 'scope' | 'strategy'>> = {},
): SchedulerConfig['spec'] => ({
  scope: 'Cluster',
  strategy: 'Balanced',
  ...more,
  purposes: {
    p: {
      template: { metadata, spec: { profile, purposes: ['p'], tenancy } },
      tenancyCount,
      ...rest,
      ...(selector && { selector }),
    },
  },
});

/** A view of a list; all requests live except those named. */
export const testView = (all: readonly Cluster[], dead: readonly string[] = []): SchedulingView => ({
  at: ({ namespace, name }) => all.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
  heldBy: uid => all.filter(cluster => holdersOf(cluster).includes(uid)),
  withPurpose: purpose => all.filter(({ spec }) => spec.purposes.includes(purpose)),
  profile: () => undefined,
  isAlive: uid => !dead.includes(uid),
});

export const testChance = { random: () => 0.5, suffix: () => 'zzzzz' };
