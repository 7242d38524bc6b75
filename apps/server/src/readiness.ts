import { ChandleryError, toError } from '@chandlery/api';
import type { ReadinessCheck } from '@chandlery/http';
import type { Kernel } from '@chandlery/kernel';
import type { ServerConfig, Shutdown } from '@chandlery/platform';

/** What has to hold for the landscape to serve. */
export type Readiness = () => Promise<readonly ReadinessCheck[]>;

/** Whether everything that the banner names works. */
export interface Startup {
  isComplete: boolean;
}

/** Ready once everything has started, while the store can be used and shutdown has not begun. */
export const readinessOf =
  (kernel: Kernel, startup: Startup, stopping: Shutdown, { database }: ServerConfig): Readiness =>
  async () => {
    const name = database === undefined ? 'store-sqlite' : 'store-postgres';
    const store = await kernel.store.check().then(
      () => ({ name, isOk: true }),
      (error: unknown) => ({ name, isOk: false, reason: toError(error).message }),
    );
    const started = { name: 'startup', isOk: startup.isComplete, reason: 'the domains are still starting' };
    return [store, started, { name: 'shutdown', isOk: !stopping.isStopping }];
  };

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
