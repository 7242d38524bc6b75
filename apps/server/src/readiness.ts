import { ChandleryError, toError } from '@chandlery/api';
import type { ReadinessCheck } from '@chandlery/http';
import type { Kernel } from '@chandlery/kernel';
import type { ServerConfig, Shutdown } from '@chandlery/platform';

/** What has to hold for the landscape to serve. */
export type Readiness = () => Promise<readonly ReadinessCheck[]>;

/** A check that takes longer has failed: whoever probes does not wait for ever. */
const checkTimeoutMs = 3000;

/** Ready while the store can be used and the end has not begun. */
export const readinessOf =
  (kernel: Kernel, stopping: Shutdown, { database }: ServerConfig): Readiness =>
  async () => {
    const name = database === undefined ? 'store-sqlite' : 'store-postgres';
    const store = await runCheck(name, () => kernel.store.check());
    return [store, { name: 'shutdown', isOk: !stopping.isStopping }];
  };

/** The result of a check: failed when it rejects or does not end in time. */
export async function runCheck(
  name: string,
  check: () => Promise<void>,
  timeoutMs = checkTimeoutMs,
): Promise<ReadinessCheck> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ChandleryError('Timeout', `no result within ${timeoutMs} ms`)), timeoutMs);
  try {
    await Promise.race([check(), timeout]);
    return { name, isOk: true };
  } catch (error) {
    return { name, isOk: false, reason: toError(error).message };
  } finally {
    clearTimeout(timer);
  }
}

/** What `/readyz` answers; throws when not ready. */
export function readinessText(checks: readonly ReadinessCheck[], isVerbose: boolean): string {
  const failed = checks.filter(({ isOk }) => !isOk);
  if (failed.length > 0) {
    throw new ChandleryError(
      'ServiceUnavailable',
      failed.map(({ name, reason }) => `${name}: ${reason ?? 'not ready'}`).join('; '),
    );
  }
  return isVerbose ? `${checks.map(({ name }) => `[+]${name} ok`).join('\n')}\nreadyz check passed\n` : 'ok';
}
