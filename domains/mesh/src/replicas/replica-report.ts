import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { StateReport } from '@chandlery/runtime';
import { type MeshReplica, meshReplicas, replicaSeconds } from '../kinds/mesh-replica.ts';
import type { ProxyAcknowledgements } from '../ports.ts';

/** The state that a replica reports. */
export type ReplicaState = Omit<MeshReplica['spec'], 'writes'>;

export interface ReplicaReportOptions {
  /** Client of the platform cluster. */
  readonly platform: Client;
  /** Unique name of this replica. */
  readonly replica: string;
  readonly stateNow: () => ReplicaState;
  /** How often an unchanged report is renewed. Default: three times within its time to live. */
  readonly renewEveryMs?: number;
  readonly logger: Logger;
}

const ref = meshReplicas.ref;
const defaultRenewEveryMs = (replicaSeconds * 1000) / 3;

/** Reports the proxies of this replica to the other replicas. */
export function openReplicaReport(options: ReplicaReportOptions): StateReport<ReplicaState> {
  const { platform, replica, stateNow, renewEveryMs = defaultRenewEveryMs, logger } = options;
  return new StateReport({
    client: platform,
    ref: { ...ref, name: replica },
    objectOf: report => meshReplicas.object({ name: replica }, report),
    stateNow,
    // A replica that knows nothing writes no report: no other replica has to wait for it.
    isWorthReporting: ({ proxies, lostMachines }) => proxies > 0 || lostMachines !== undefined,
    fieldManager: 'chandlery-mesh',
    renewEveryMs,
    logger,
  });
}

/**
 * Acknowledgements from the reports of all replicas. Reads them each time, because a root rotation must not act on
 * stale data.
 */
export function acknowledgementsOf(platform: Client): ProxyAcknowledgements {
  const states = async (): Promise<readonly ReplicaState[]> =>
    (await platform.list<MeshReplica>(ref)).items.map(({ spec }) => spec);
  return {
    haveAllAcknowledged: async trustVersion => {
      const all = await states();
      const waitingFor = [...new Set(all.flatMap(state => state.waitingFor))].sort();
      const done = waitingFor.length === 0 && all.every(state => state.trustVersion === trustVersion);
      return { done, waitingFor };
    },
    listCertifiedBy: async rootFingerprint => {
      const roots = (await states()).flatMap(state => state.roots);
      const found = roots.filter(({ fingerprint }) => fingerprint === rootFingerprint);
      return [...new Set(found.flatMap(({ nodeIds }) => nodeIds))].sort();
    },
  };
}
