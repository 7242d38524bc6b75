import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { StateReport } from '@chandlery/runtime';
import { type LandscapeReplica, landscapeReplicas, replicaSeconds } from './landscape-replica.ts';

/** The state that a replica reports. */
export type ReplicaState = Omit<LandscapeReplica['spec'], 'writes'>;

export interface ReplicaReportOptions {
  /** Of the platform cluster. Not disposed of. */
  readonly platform: Client;
  /** Unique name of this process. */
  readonly replica: string;
  readonly stateNow: () => ReplicaState;
  readonly logger: Logger;
}

/** Names of objects are host names. */
const objectName = (replica: string): string => replica.toLowerCase().replace(/[^a-z0-9-]+/g, '-');

/** Reports this process to the other replicas, as long as it runs. */
export function openReplicaReport({
  platform,
  replica,
  stateNow,
  logger,
}: ReplicaReportOptions): StateReport<ReplicaState> {
  const name = objectName(replica);
  const report = new StateReport<ReplicaState>({
    client: platform,
    ref: { ...landscapeReplicas.ref, name },
    objectOf: written => landscapeReplicas.object({ name }, written),
    stateNow,
    fieldManager: 'chandlery-replica',
    renewEveryMs: (replicaSeconds * 1000) / 3,
    logger,
  });
  report.check();
  return report;
}

/** The replicas that run. */
export async function listReplicas(platform: Client): Promise<readonly (ReplicaState & { readonly name: string })[]> {
  const { items } = await platform.list<LandscapeReplica>(landscapeReplicas.ref);
  return items.map(({ metadata: { name = '' }, spec: { writes: _, ...state } }) => ({ name, ...state }));
}
