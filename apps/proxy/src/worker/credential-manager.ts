import { randomBytes } from 'node:crypto';
import type { Clock } from '@chandlery/platform';
import bcrypt from 'bcryptjs';
import type { BasicCredentials, ServiceManager } from '../ports.ts';
import type { ProxyState } from '../state/proxy-state.ts';

export interface CredentialManagerOptions {
  readonly serviceManager: Pick<ServiceManager, 'putCredentials' | 'activateCredentials'>;
  readonly state: ProxyState;
  readonly clock: Clock;
  /** For all brokers, in place of credentials of their own. */
  readonly common: BasicCredentials | undefined;
  /** 0: any age. */
  readonly rotateAfterMs: number;
}

/** Credentials that the platform is to be given; `taken` is to be called when it has them. */
export interface IssuedCredentials extends BasicCredentials {
  taken(): Promise<void>;
}

const hashCost = 10;

/**
 * Makes the credentials by which the platform calls brokers.
 *
 * The service manager accepts new ones at once and old ones until the new are activated, so that the platform can call
 * at every moment of a rotation.
 */
export class CredentialManager {
  readonly #options: CredentialManagerOptions;
  readonly #startedAt: Date;
  /** Older ones are to be replaced. */
  #rotateBefore: Date;
  /** Sent to the service manager and perhaps to the platform, by broker. */
  readonly #unconfirmed = new Map<string, MadePair>();

  constructor(options: CredentialManagerOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#rotateBefore = new Date(0);
  }

  /** All credentials there are now are to be replaced. */
  rotateAll(): void {
    this.#rotateBefore = this.#options.clock.now();
  }

  /** Whether a broker needs new ones: old, to be rotated, or left half-way by an earlier run. */
  isDue(brokerId: string): boolean {
    const { common, state, rotateAfterMs, clock } = this.#options;
    if (common !== undefined) return false;
    const note = state.credentialsOf(brokerId);
    if (note?.isPending === true) return true;
    const madeAt = note === undefined ? this.#startedAt : new Date(note.madeAt);
    const isTooOld = rotateAfterMs > 0 && clock.now().getTime() - madeAt.getTime() >= rotateAfterMs;
    return isTooOld || madeAt < this.#rotateBefore;
  }

  async make(brokerId: string): Promise<IssuedCredentials> {
    const { common, serviceManager, state, clock } = this.#options;
    if (common !== undefined) return { ...common, taken: async () => undefined };
    // A retry sends the same pair: the platform may use it already.
    const pair = this.#unconfirmed.get(brokerId) ?? (await newPair(clock));
    const { username, password, passwordHash, madeAt } = pair;
    this.#unconfirmed.set(brokerId, pair);
    state.setCredentials(brokerId, { madeAt, isPending: true });
    const id = await serviceManager.putCredentials({ brokerId, username, passwordHash, isForced: true });
    return {
      username,
      password,
      taken: async () => {
        await serviceManager.activateCredentials(id);
        this.#unconfirmed.delete(brokerId);
        state.setCredentials(brokerId, { madeAt, isPending: false });
      },
    };
  }

  /** The broker was removed from the platform. */
  forget(brokerId: string): void {
    this.#unconfirmed.delete(brokerId);
    if (this.#options.state.credentialsOf(brokerId) !== undefined)
      this.#options.state.setCredentials(brokerId, undefined);
  }
}

/** Credentials that were made here. */
interface MadePair extends BasicCredentials {
  readonly passwordHash: string;
  readonly madeAt: string;
}

async function newPair(clock: Clock): Promise<MadePair> {
  const username = randomBytes(18).toString('base64url');
  const password = randomBytes(32).toString('base64url');
  const passwordHash = await bcrypt.hash(password, hashCost);
  return { username, password, passwordHash, madeAt: clock.now().toISOString() };
}
