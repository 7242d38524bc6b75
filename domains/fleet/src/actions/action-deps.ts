import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Logger } from '@chandlery/platform';
import { fleetError } from '../errors.ts';
import type { QuotaContext } from '../model/quota.ts';
import { type ConfiguredProduct, type FleetRegistry, indexTerm } from '../registry/fleet-registry.ts';

/** What use cases work on. */
export interface ActionDeps {
  readonly registry: FleetRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Returns the product with its present configuration. Throws 7 when it does not exist. */
export function presentProduct({ registry }: Pick<ActionDeps, 'registry'>, id: string): ConfiguredProduct {
  const product = registry.configurations.get(id);
  if (product === undefined) throw fleetError(7, `There is no product "${id}"`);
  return product;
}

/** What the quota of a user is decided by: the lists of the document and the grants that name them. */
export function quotaContext(
  { registry, clock }: Pick<ActionDeps, 'registry' | 'clock'>,
  { row, configuration }: ConfiguredProduct,
  subject: { readonly username: string; readonly organisation: string },
): QuotaContext {
  const rows = [
    ...registry.grants.by('subject', indexTerm(row.id, 'org', subject.organisation)),
    ...registry.grants.by('subject', indexTerm(row.id, 'account', subject.username)),
  ];
  return { configuration, grants: rows.map(({ spec }) => spec), now: clock.now() };
}

const maxPauseMs = 100;

/** Waits before another attempt, longer each time: what another replica wrote needs a moment to arrive. */
export const pauseBeforeAttempt = (attempt: number): Promise<void> => sleep(Math.min(5 * 2 ** attempt, maxPauseMs));
