import { constants, type ServerHttp2Session } from 'node:http2';
import type { XdsServerLimits } from '../server-limits.ts';

export type SessionLimits = Pick<
  XdsServerLimits,
  'keepaliveMs' | 'keepaliveTimeoutMs' | 'maxConnectionAgeMs' | 'maxConnectionAgeGraceMs' | 'maxIdleMs'
>;

/** The state of a connection that its lifetime updates. */
export interface RetiringConnection {
  /** Set when the client is asked to reconnect. */
  isRetired: boolean;
}

/** Last stream id of a GOAWAY that still serves all open calls. */
const allCalls = 2 ** 31 - 1;
const reasons = { age: Buffer.from('max_age'), root: Buffer.from('certificate_root') } as const;

/**
 * Enforces the lifetime of a connection: without a keepalive response it is destroyed; when it is too old or idle it is
 * closed gracefully.
 */
export class SessionLifetime {
  readonly #session: ServerHttp2Session;
  readonly #limits: SessionLimits;
  readonly #connection: RetiringConnection;
  #calls = 0;
  #idle: NodeJS.Timeout | undefined;
  #keepalive: NodeJS.Timeout | undefined;
  #age: NodeJS.Timeout | undefined;

  constructor(session: ServerHttp2Session, limits: SessionLimits, connection: RetiringConnection) {
    this.#session = session;
    this.#limits = limits;
    this.#connection = connection;
    // Jitter: connections that were opened together are not closed together.
    const ageMs = limits.maxConnectionAgeMs * (0.9 + Math.random() * 0.2);
    this.#age = setTimeout(() => this.retire('age'), ageMs).unref();
    this.#waitForCalls();
    this.#waitForPing();
    session.once('close', () => this.#stop());
  }

  callOpened(): void {
    this.#calls++;
    clearTimeout(this.#idle);
  }

  callClosed(): void {
    if (--this.#calls === 0) this.#waitForCalls();
  }

  /** Asks the client to reconnect, and closes the session when its calls have ended or after the grace period. */
  retire(reason: keyof typeof reasons): void {
    const session = this.#session;
    if (session.destroyed || this.#connection.isRetired) return;
    this.#connection.isRetired = true;
    session.goaway(constants.NGHTTP2_NO_ERROR, allCalls, reasons[reason]);
    session.close();
    clearTimeout(this.#age);
    this.#age = setTimeout(() => session.destroy(), this.#limits.maxConnectionAgeGraceMs).unref();
  }

  #waitForCalls(): void {
    if (this.#session.destroyed) return;
    this.#idle = setTimeout(() => this.#session.close(), this.#limits.maxIdleMs).unref();
  }

  #waitForPing(): void {
    this.#keepalive = setTimeout(() => this.#ping(), this.#limits.keepaliveMs).unref();
  }

  #ping(): void {
    const session = this.#session;
    if (session.destroyed) return;
    this.#keepalive = setTimeout(() => session.destroy(), this.#limits.keepaliveTimeoutMs).unref();
    const isSent = session.ping(error => {
      clearTimeout(this.#keepalive);
      if (error) session.destroy();
      else if (!session.destroyed) this.#waitForPing();
    });
    if (!isSent) session.destroy();
  }

  #stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#keepalive);
    clearTimeout(this.#age);
  }
}
