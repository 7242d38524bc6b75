import type { KubeObject, ObjectState } from '@chandlery/api';

/** A data-plane cluster, as far as it is shown. */
export interface ClusterObject extends KubeObject {
  readonly spec: {
    readonly product: string;
    readonly clusterId: string;
    readonly displayName?: string;
    readonly cloudProvider: string;
    readonly region: string;
    readonly multiAz?: boolean;
    readonly schedulable?: boolean;
    readonly supportedInstanceTypes?: readonly string[];
    readonly providerType?: 'standalone' | 'landscape';
    readonly clusterDns?: string;
    readonly origin?: string;
    readonly initialState?: string;
  };
  readonly status?: {
    readonly state?: string;
    readonly stateSince?: string;
    readonly failedReason?: string;
    readonly agentMessage?: string;
    readonly clusterDns?: string;
    readonly operatorVersions?: readonly {
      readonly version: string;
      readonly ready: boolean;
      readonly productVersions: readonly string[];
    }[];
    readonly capacity?: Readonly<Record<string, { readonly maxUnits?: number; readonly remainingUnits?: number }>>;
    readonly lastSeenAt?: string;
    readonly isAgentSilent?: boolean;
    readonly clusterRequest?: string;
    readonly draining?: boolean;
    readonly lost?: boolean;
  };
}

interface Versions {
  readonly product?: string;
  readonly operator?: string;
}

/** An instance, as far as it is shown. */
export interface InstanceObject extends KubeObject {
  readonly spec: {
    readonly product: string;
    readonly name?: string;
    readonly owner: string;
    readonly organisation: string;
    readonly cloudProvider?: string;
    readonly region?: string;
    readonly plan?: string;
    readonly instance?: string;
  };
  readonly status?: {
    readonly state?: string;
    readonly stateSince?: string;
    readonly failedReason?: string;
    readonly instanceType?: string;
    readonly sizeId?: string;
    readonly units?: number;
    readonly clusterId?: string;
    readonly namespace?: string;
    readonly host?: string;
    readonly desired?: Versions;
    readonly actual?: Versions;
    readonly routes?: readonly { readonly domain: string; readonly router: string }[];
    readonly endpoints?: readonly { readonly name?: string; readonly address: string; readonly port: number }[];
    readonly routesProblem?: string;
    readonly adminUrl?: string;
    readonly expiresAt?: string;
    readonly certificateExpiresAt?: string;
  };
}

/** A rollout, as far as it is shown. */
export interface RolloutObject extends KubeObject {
  readonly spec: {
    readonly product: string;
    readonly productVersion?: string;
    readonly operatorVersion?: string;
    readonly clusters?: readonly string[];
    readonly organisations?: readonly string[];
    readonly paused?: boolean;
    readonly aborted?: boolean;
  };
  readonly status?: {
    readonly rolloutPhase?: string;
    readonly wave?: number;
    readonly instances?: Readonly<
      Record<string, { readonly state?: string; readonly clusterId?: string; readonly reason?: string }>
    >;
    readonly rejected?: readonly string[];
    readonly total?: number;
    readonly upgraded?: number;
    readonly failed?: number;
    readonly message?: string;
  };
}

/** A state of an object with the word that its domain has for it. */
export interface Mark {
  readonly state: ObjectState;
  readonly word: string;
  /** Default: that of the state. */
  readonly symbol?: string;
}

/** People read words. */
const inWords = (state: string): string => {
  const text = state.replace(/^cluster_/, '').replaceAll('_', ' ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
};

/** The states of a cluster's life until it is ready. */
export const clusterLife = [
  'cluster_accepted',
  'cluster_provisioning',
  'cluster_provisioned',
  'waiting_for_fleetshard_operator',
  'ready',
] as const;

/** How a cluster is. */
export function markOfCluster(state: string): Mark {
  if (state === 'ready') return { state: 'ready', word: 'Ready' };
  if (state === 'failed') return { state: 'failed', word: 'Failed' };
  const isEnding = state === 'deprovisioning' || state === 'cleanup';
  return { state: isEnding ? 'deleting' : 'waiting', word: inWords(state) };
}

/** What a step of a cluster's life is called. */
export const clusterStep = (state: string): string =>
  state === 'waiting_for_fleetshard_operator' ? 'Waiting for the agent' : inWords(state);

/** The states of an instance's life until it is ready. */
export const instanceLife = ['accepted', 'preparing', 'provisioning', 'ready'] as const;

/** How an instance is. */
export function markOfInstance(state = 'accepted'): Mark {
  switch (state) {
    case 'ready':
    case 'failed':
      return { state, word: inWords(state) };
    case 'suspended':
      return { state: 'exists', word: 'Suspended' };
    case 'deprovision':
    case 'deleting':
      return { state: 'deleting', word: 'Deleting' };
    default:
      return { state: 'waiting', word: inWords(state) };
  }
}

/** How a rollout is. */
export function markOfRollout(phase = 'Pending'): Mark {
  switch (phase) {
    case 'Succeeded':
      return { state: 'ready', word: phase };
    case 'Failed':
      return { state: 'failed', word: phase };
    case 'Paused':
      return { state: 'deleting', word: phase, symbol: '‖' };
    case 'Aborting':
      return { state: 'deleting', word: phase };
    case 'Aborted':
      return { state: 'exists', word: phase };
    default:
      return { state: 'waiting', word: phase };
  }
}

/** How the upgrade of an instance of a wave is. */
export function markOfUpgrade(state: string): Mark {
  switch (state) {
    case 'upgraded':
      return { state: 'ready', word: inWords(state) };
    case 'failed':
      return { state, word: inWords(state) };
    case 'skipped':
    case 'reverted':
      return { state: 'exists', word: inWords(state) };
    default:
      return { state: 'waiting', word: inWords(state) };
  }
}

export const endedPhases: readonly string[] = ['Succeeded', 'Failed', 'Aborted'];

/** What runs, and what it will be. */
export function versionText(actual: string | undefined, desired: string | undefined): string {
  if (actual === undefined) return desired === undefined ? '–' : `none yet, then ${desired}`;
  return desired === undefined || desired === actual ? actual : `${actual}, then ${desired}`;
}
