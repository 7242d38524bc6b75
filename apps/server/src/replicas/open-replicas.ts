import { createKernelClient, type Kernel, platformCluster } from '@chandlery/kernel';
import {
  type Keyring,
  type Logger,
  type ProcessIdentity,
  type ServerConfig,
  type Shutdown,
  systemClock,
} from '@chandlery/platform';
import type { LandscapeAuthority } from '../authority/landscape-authority.ts';
import { version } from '../version.ts';
import { listReplicas, openReplicaReport, type ReplicaState } from './replica-report.ts';

export interface ReplicasDeps {
  readonly kernel: Kernel;
  readonly identity: ProcessIdentity;
  readonly authority: LandscapeAuthority;
  readonly keyring: Keyring;
  /** Undefined until it serves. */
  readonly urlNow: () => string | undefined;
  readonly isLeaderNow: () => boolean;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** The processes of the landscape. */
export type ReadReplicas = () => Promise<readonly (ReplicaState & { readonly name: string })[]>;

/** Reports this process where others may be beside it. The one process on an embedded store reports nothing. */
export function openReplicas(
  { database }: Pick<ServerConfig, 'database'>,
  { kernel, identity: { identity }, authority, keyring, urlNow, isLeaderNow, logger, stopping }: ReplicasDeps,
): ReadReplicas {
  const startedAt = systemClock.now().toISOString();
  const stateNow = (): ReplicaState => ({
    version,
    startedAt,
    url: urlNow() ?? '',
    isLeader: isLeaderNow(),
    authorityVersion: authority.rotation.version,
    encryptionKey: keyring.activeKeyId,
  });
  if (database === undefined) return async () => [{ name: identity, ...stateNow() }];
  const platform = stopping.use('client of replicas', createKernelClient(kernel, { cluster: platformCluster }));
  const report = stopping.use(
    'report of this replica',
    openReplicaReport({ platform, replica: identity, stateNow, logger }),
  );
  stopping.add(
    'report of rotations',
    authority.onChange(() => report.check()),
  );
  return () => listReplicas(platform);
}
