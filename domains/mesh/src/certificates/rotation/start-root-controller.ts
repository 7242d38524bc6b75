import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Clock, type Logger, silentLogger, systemClock } from '@chandlery/platform';
import {
  type ControllerMetrics,
  createController,
  createInformer,
  type Informer,
  systemTimers,
  type Timers,
} from '@chandlery/runtime';
import { type MeshRootCertificate, meshRootCertificates } from '../../kinds/mesh-root-certificate.ts';
import { type MeshWorkloadCertificate, meshWorkloadCertificates } from '../../kinds/mesh-workload-certificate.ts';
import type { ProxyAcknowledgements } from '../../ports.ts';
import { ensureRootKey } from '../roots/ensure-root-key.ts';
import { followRoots, type RootCache } from '../roots/root-cache.ts';
import { createRecertifier, rootIndex } from './create-recertifier.ts';
import { recertifyWorkloads } from './recertify-workloads.ts';
import type { RootNeeds } from './root-needs.ts';
import { rotate } from './rotate.ts';
import { showRoot } from './show-root.ts';

export interface RootControllerOptions {
  /** The platform cluster. Not disposed of. */
  readonly client: Client;
  readonly acknowledgements: ProxyAcknowledgements;
  /** After how long a step of a rotation stops to wait. Default ten minutes. */
  readonly stepTimeoutMs?: number;
  /** For how long all proxies must have followed before a step is taken: longer than their reports are old. Default 5000. */
  readonly settleMs?: number;
  /** How often a waiting rotation looks whether it may go on. Default 1000. */
  readonly pollMs?: number;
  /** How long new certificates of workloads last. Default 24 hours, which is the longest. */
  readonly workloadTtlMs?: number;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
}

/**
 * Starts to look after the roots: keys, certificates in status, workloads of roots that do not sign any more, rotations.
 * One replica at a time needs it; two would only do things twice.
 */
export function startRootController(options: RootControllerOptions): AsyncDisposable {
  const { client, clock = systemClock, timers = systemTimers, logger = silentLogger, metrics } = options;
  const onError = (error: Error): void => logger.warn('cannot follow the roots of the mesh', { error: error.message });
  const stack = new AsyncDisposableStack();
  const roots = stack.use(followRoots({ client, onError }));
  const workloads = stack.use(
    createInformer<MeshWorkloadCertificate>({ client, ref: meshWorkloadCertificates.ref, indexes: rootIndex, onError }),
  );
  const allRoots = (): readonly string[] => roots.declared.list().map(({ metadata }) => metadata.name ?? '');
  const controller = stack.use(
    createController<MeshRootCertificate, RootNeeds>({
      name: 'mesh-roots',
      client,
      for: { ref: meshRootCertificates.ref, informer: roots.declared },
      watches: [
        { informer: roots.declared, mapToKeys: allRoots },
        { informer: roots.secrets, mapToKeys: allRoots },
        { informer: workloads, mapToKeys: related => outdatedRoot(related as MeshWorkloadCertificate, roots) },
      ],
      steps: [showRoot, recertifyWorkloads, rotate],
      needs: createNeeds({ ...options, clock, timers }, roots, workloads),
      clock,
      timers,
      logger,
      ...(metrics && { metrics }),
    }),
  );
  controller.start();
  return stack;
}

/** Only a certificate of a root that does not sign is a reason to look. */
function outdatedRoot({ spec }: MeshWorkloadCertificate, { declared, trust }: RootCache): readonly string[] {
  if (spec.root === trust.signer?.fingerprint) return [];
  return declared
    .list()
    .flatMap(({ metadata, status }) => (status?.fingerprint === spec.root ? [metadata.name ?? ''] : []));
}

function createNeeds(
  options: RootControllerOptions,
  roots: RootCache,
  workloads: Informer<MeshWorkloadCertificate>,
): RootNeeds {
  const { client, acknowledgements, stepTimeoutMs = 600_000, settleMs = 5000, pollMs = 1000 } = options;
  const { workloadTtlMs } = options;
  const trust = (): RootCache['trust'] => roots.trust;
  return {
    acknowledgements,
    stepTimeoutMs,
    settleMs,
    pollMs,
    trust,
    listRoots: () => roots.declared.list(),
    ensureKey: (root, now) => ensureRootKey(client, root, now),
    ...createRecertifier({ client, workloads, trust, ...(workloadTtlMs === undefined ? {} : { workloadTtlMs }) }),
    async setRole({ metadata }, role) {
      const { name = '', resourceVersion = '' } = metadata;
      const body = { metadata: { resourceVersion }, spec: { role } };
      await client.patch({ ...meshRootCertificates.ref, name }, { type: 'merge', body });
    },
    async remove({ metadata: { name = '' } }) {
      try {
        await client.delete({ ...meshRootCertificates.ref, name });
      } catch (error) {
        if (!isError(error, 'NotFound')) throw error;
      }
    },
  };
}
