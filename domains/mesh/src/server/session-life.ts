import { constants, type ServerHttp2Session } from 'node:http2';
import type { XdsServerLimits } from './server-limits.ts';

export type SessionLimits = Pick<
  XdsServerLimits,
  'keepaliveMs' | 'keepaliveTimeoutMs' | 'maxConnectionAgeMs' | 'maxConnectionAgeGraceMs' | 'maxIdleMs'
>;

/** In a GOAWAY, the calls that have begun already are all served. */
const allCalls = 2 ** 31 - 1;
const ageReason = Buffer.from('max_age');

/**
 * Decides how long a connection lasts: one that gives no sign of life is cut, one that is old or not used is closed
 * politely.
 */
export class SessionLife {
  readonly #session: ServerHttp2Session;
  readonly #limits: SessionLimits;
  #calls = 0;
  #idle: NodeJS.Timeout | undefined;
  #keepalive: NodeJS.Timeout | undefined;
  #age: NodeJS.Timeout | undefined;

  constructor(session: ServerHttp2Session, limits: SessionLimits) {
    this.#session = session;
    this.#limits = limits;
    // Connections that were opened together shall not be closed together.
    const ageMs = limits.maxConnectionAgeMs * (0.9 + Math.random() * 0.2);
    this.#age = setTimeout(() => this.#retire(), ageMs).unref();
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

  #retire(): void {
    const session = this.#session;
    if (session.destroyed) return;
    session.goaway(constants.NGHTTP2_NO_ERROR, allCalls, ageReason);
    session.close();
    this.#age = setTimeout(() => session.destroy(), this.#limits.maxConnectionAgeGraceMs).unref();
  }

  #stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#keepalive);
    clearTimeout(this.#age);
  }
}
