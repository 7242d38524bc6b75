import { ChandleryError } from '@chandlery/api';
import type { Clock } from '@chandlery/platform';
import type { MeshAuthority } from '../../ports.ts';
import type { XdsServerLimits } from '../server-limits.ts';
import type { Connection } from './connection.ts';

export type JudgedConnection = Pick<Connection, 'openedAt' | 'isRetired' | 'rootFingerprint'>;

/** The signing root, and when this replica learned of it. */
export interface Signer {
  readonly fingerprint: string | undefined;
  readonly since: Date;
}

/**
 * A client that reconnects with the same certificate has no agent that renews it: it is asked again at longer
 * intervals.
 */
const returnedGraceFactor = 3;

type OutdatedLimits = Pick<XdsServerLimits, 'outdatedGraceMs' | 'maxOutdatedPerSecond'>;

/** Of outdated connections, returns those that are asked to reconnect in this second. */
export function chooseDue<C extends JudgedConnection>(
  outdated: readonly C[],
  signer: Signer,
  { now, limits }: { readonly now: Date; readonly limits: OutdatedLimits },
): readonly C[] {
  const due = outdated.filter(connection => isDue(connection, signer, now, limits.outdatedGraceMs));
  return due.slice(0, limits.maxOutdatedPerSecond);
}

/** Whether the client certificate is from a root that no longer signs. */
export const isOutdated = ({ rootFingerprint, isRetired }: JudgedConnection, { fingerprint }: Signer): boolean =>
  !isRetired && rootFingerprint !== undefined && fingerprint !== undefined && rootFingerprint !== fingerprint;

/** Whether the client has had the time to renew its certificate. */
function isDue({ openedAt }: JudgedConnection, { since }: Signer, now: Date, graceMs: number): boolean {
  if (openedAt <= since) return now.getTime() - since.getTime() >= graceMs;
  return now.getTime() - openedAt.getTime() >= graceMs * returnedGraceFactor;
}

export interface OutdatedConnectionsOptions {
  readonly connections: Iterable<Connection>;
  readonly authority: Pick<MeshAuthority, 'signerFingerprint' | 'subscribe'>;
  readonly limits: OutdatedLimits & Pick<XdsServerLimits, 'checkIntervalMs'>;
  readonly clock: Clock;
}

const secondMs = 1000;

/**
 * Asks clients to reconnect whose certificates are from a root that no longer signs, a limited number in each second,
 * after their agents had the time to renew them. A rotation can then retire the old root without waiting for the
 * maximum age of connections.
 */
export class OutdatedConnections implements Disposable {
  readonly #options: OutdatedConnectionsOptions;
  readonly #unsubscribe: () => void;
  #signer: Signer;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OutdatedConnectionsOptions) {
    this.#options = options;
    this.#signer = this.#signerNow();
    this.#unsubscribe = options.authority.subscribe(() => this.#onRoots());
    this.#checkLater(options.limits.checkIntervalMs);
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    clearTimeout(this.#timer);
  }

  #signerNow(): Signer {
    return { fingerprint: this.#options.authority.signerFingerprint, since: this.#options.clock.now() };
  }

  #onRoots(): void {
    const signer = this.#signerNow();
    if (signer.fingerprint === this.#signer.fingerprint) return;
    this.#signer = signer;
    this.#checkLater(Math.min(secondMs, this.#options.limits.checkIntervalMs));
  }

  #checkLater(afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), afterMs).unref();
  }

  #check(): void {
    const { connections, clock, limits } = this.#options;
    const outdated = [...connections].filter(connection => isOutdated(connection, this.#signer));
    const due = chooseDue(outdated, this.#signer, { now: clock.now(), limits });
    for (const connection of due) connection.retire(otherRoot());
    // Checks every second while there are outdated connections, otherwise at the usual interval.
    this.#checkLater(outdated.length > 0 ? Math.min(secondMs, limits.checkIntervalMs) : limits.checkIntervalMs);
  }
}

const otherRoot = (): ChandleryError =>
  new ChandleryError('Stopped', 'another root of the mesh signs than that of your certificate', {
    hint: 'Connect again with a renewed certificate',
  });
