import type { ServerResponse } from 'node:http';

const recheckMs = 5000;

/**
 * Checks periodically whether the client of a streamed response may still read it, and ends the connection otherwise: the
 * client that connects again gets the reason. Expired credentials end it as well.
 */
export function endWhenRevoked(
  response: Pick<ServerResponse, 'destroy' | 'once'>,
  isAllowed: () => Promise<boolean>,
): void {
  const recheck = async (): Promise<void> => {
    if (!(await isAllowed().catch(() => false))) response.destroy();
  };
  const timer = setInterval(() => void recheck(), recheckMs).unref();
  response.once('close', () => clearInterval(timer));
}
