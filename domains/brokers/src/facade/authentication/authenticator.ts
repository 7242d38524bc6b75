import type { IncomingMessage } from 'node:http';
import type { Caller, PlatformCaller } from '../../ports.ts';

/** Finds out who calls. */
export interface Authenticator {
  /** Of a request under `/v1`. Rejects with `SmError` `Unauthorized`. */
  authenticate(request: IncomingMessage): Promise<Caller>;
  /**
   * Of a request to a broker under `/v1/osb`: by the credentials that the platform has for this broker; by the
   * platform's own as long as it has none that are active; or the operator, who acts for the service manager's own platform.
   * Answers at once when the credentials were seen lately. Rejects with `SmError` `Unauthorized`, or `TooManyRequests`
   * when too many wrong passwords were tried with the user name.
   */
  authenticateOsb(brokerId: string, request: IncomingMessage): PlatformCaller | Promise<PlatformCaller>;
}
