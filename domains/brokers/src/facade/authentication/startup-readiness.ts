import { smError } from '../../errors.ts';
import type { Authenticator } from './authenticator.ts';

/**
 * Blocks all requests until the registry is complete. A missing instance would count as unknown, and requests about
 * unknown instances are forwarded to brokers without an ownership check.
 */
export class StartupReadiness {
  readonly #blocked = Promise.withResolvers<void>();
  #isOpen = false;

  /** Resolves when the registry turns out to be incomplete for longer than a start takes. */
  get blocked(): Promise<void> {
    return this.#blocked.promise;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
  }

  block(): void {
    this.#blocked.resolve();
  }

  /** Throws `ServiceUnavailable` unless it is open. Names no object, because the caller is not authenticated yet. */
  assertOpen(): void {
    if (this.#isOpen) return;
    const message =
      'the service manager does not serve, because it cannot read all of its objects; see /readyz and the log';
    throw smError('ServiceUnavailable', message, { isRetryable: true });
  }
}

/** Callers that are known only while the gate is open. */
export const authenticatorWhenReady = (authenticator: Authenticator, readiness: StartupReadiness): Authenticator => ({
  authenticate: async request => {
    readiness.assertOpen();
    return authenticator.authenticate(request);
  },
  authenticateOsb: (brokerId, request) => {
    readiness.assertOpen();
    return authenticator.authenticateOsb(brokerId, request);
  },
});
