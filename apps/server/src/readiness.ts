import { ChandleryError, toError } from '@chandlery/api';
import { formatCheck, type ReadinessCheck } from '@chandlery/http';
import type { Damage, Kernel } from '@chandlery/kernel';
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
    return [store, integrityOf(kernel.store.damage), started, { name: 'shutdown', isOk: !stopping.isStopping }];
  };

const maxShown = 10;

/**
 * Lost writes need a decision of the operator, so the landscape is not ready until they are accepted, though it serves.
 * Other damage makes those reads fail that meet it, and no others: it is shown, and fails nothing.
 */
function integrityOf(damage: readonly Damage[]): ReadinessCheck {
  const name = 'store-integrity';
  if (damage.length === 0) return { name, isOk: true };
  const lost = damage.filter(({ kind }) => kind === 'lost');
  const shown = (lost.length > 0 ? lost : damage).slice(0, maxShown).map(({ message }) => message);
  const rest = damage.length - shown.length;
  const reason = `${shown.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}; see "chandlery store verify"`;
  return { name, isOk: lost.length === 0, reason };
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
  return isVerbose ? `${checks.map(formatCheck).join('\n')}\nreadyz check passed\n` : 'ok';
}
