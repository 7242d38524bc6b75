import { ChandleryError, toError } from '@chandlery/api';
import { formatCheck, type ReadinessCheck } from '@chandlery/http';
import type { Damage, Kernel } from '@chandlery/kernel';
import type { ServerConfig, Shutdown } from '@chandlery/platform';
import { storeText } from './start-kernel.ts';

/** What has to hold for the landscape to serve. */
export type Readiness = () => Promise<readonly ReadinessCheck[]>;

/** Whether everything that the banner names works. */
export interface Startup {
  isComplete: boolean;
}

/** A check that takes longer has failed: probes do not wait for ever. */
const checkTimeoutMs = 3000;

/** Ready once everything has started, while the store can be used and shutdown has not begun. */
export const readinessOf =
  (kernel: Kernel, startup: Startup, stopping: Shutdown, config: ServerConfig): Readiness =>
  async () => {
    const name = config.database === undefined ? 'store-sqlite' : 'store-postgres';
    const store = await runCheck(name, () => kernel.store.check(), { what: storeText(config) });
    return [
      store,
      integrityOf(kernel.store.damage),
      startupCheck(startup, kernel.store.damage),
      { name: 'shutdown', isOk: !stopping.isStopping },
    ];
  };

/** Controllers never work on a part of what there is, as if the rest were deleted: they wait for damaged objects. */
export function startupCheck({ isComplete }: Startup, damage: readonly Damage[]): ReadinessCheck {
  const name = 'startup';
  if (isComplete) return { name, isOk: true };
  const objects = [...new Set(damage.flatMap(({ object }) => object ?? []))].slice(0, maxShown);
  if (objects.length === 0) return { name, isOk: false, reason: 'the domains are starting' };
  const reason = `domains that need a damaged object do not start: ${objects.join(', ')}; see "chandlery store verify"`;
  return { name, isOk: false, reason };
}

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

interface CheckOptions {
  /** Named when there is no result in time. Default: the name of the check. */
  readonly what?: string;
  readonly timeoutMs?: number;
}

/** The result of a check: failed when it rejects or does not end in time. */
export async function runCheck(
  name: string,
  check: () => Promise<void>,
  { what = name, timeoutMs = checkTimeoutMs }: CheckOptions = {},
): Promise<ReadinessCheck> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const tooLate = new ChandleryError('Timeout', `${what} gave no result within ${timeoutMs} ms`);
  const timer = setTimeout(() => reject(tooLate), timeoutMs);
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
  return isVerbose ? `${checks.map(formatCheck).join('\n')}\nreadyz check passed\n` : 'ok';
}
