import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { type Clock, type Logger, silentLogger, systemClock } from '@chandlery/platform';
import { type ControllerMetrics, createController, systemTimers, type Timers } from '@chandlery/runtime';
import { ensureRootKey } from '../../certificates/roots/ensure-root-key.ts';
import { type RootCache, watchRoots } from '../../certificates/roots/watch-roots.ts';
import { type MeshRootCertificate, meshRootCertificates } from '../../kinds/mesh-root-certificate.ts';
import { type RotationStep, settleMsOf } from '../../model/rotation/decide-rotation.ts';
import type { ProxyAcknowledgements } from '../../ports.ts';
import { publishRoot } from './publish-root.ts';
import type { RootDeps } from './root-deps.ts';
import { rotate } from './rotate.ts';

export interface RootControllerOptions {
  /** Client of the platform cluster. Not disposed of. */
  readonly client: Client;
  readonly acknowledgements: ProxyAcknowledgements;
  /** Timeout of a rotation step. Default ten minutes. */
  readonly stepTimeoutMs?: number;
  /** How long all proxies must have acknowledged before a step. Default {@link settleMsOf}. */
  readonly settleMs?: (step: RotationStep) => number;
  /** Polling interval of a waiting rotation. Default 1000. */
  readonly pollMs?: number;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: the process's. */
  readonly timers?: Timers;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
}

/**
 * Starts the controller of the roots: keys, certificates in the status, rotations. One replica runs it; a second one
 * would be redundant, but harmless.
 */
export function startRootController(options: RootControllerOptions): AsyncDisposable {
  const { client, clock = systemClock, timers = systemTimers, logger = silentLogger, metrics } = options;
  const onError = (error: Error): void => logger.warn('cannot follow the roots of the mesh', { error: error.message });
  const stack = new AsyncDisposableStack();
  const roots = stack.use(watchRoots({ client, onError }));
  const allRoots = (): readonly string[] => roots.declared.list().map(({ metadata }) => metadata.name ?? '');
  const controller = stack.use(
    createController<MeshRootCertificate, RootDeps>({
      name: 'mesh-roots',
      client,
      for: { ref: meshRootCertificates.ref, informer: roots.declared },
      watches: [
        { informer: roots.declared, mapToKeys: allRoots },
        { informer: roots.secrets, mapToKeys: allRoots },
      ],
      steps: [publishRoot, rotate],
      needs: createDeps({ ...options, clock, timers }, roots),
      clock,
      timers,
      logger,
      ...(metrics && { metrics }),
    }),
  );
  controller.start();
  return stack;
}

function createDeps(options: RootControllerOptions, roots: RootCache): RootDeps {
  const { client, acknowledgements, stepTimeoutMs = 600_000, settleMs = settleMsOf, pollMs = 1000 } = options;
  return {
    acknowledgements,
    stepTimeoutMs,
    settleMs,
    pollMs,
    trust: () => roots.trust,
    listRoots: () => roots.declared.list(),
    ensureKey: (root, now) => ensureRootKey(client, root, now),
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
