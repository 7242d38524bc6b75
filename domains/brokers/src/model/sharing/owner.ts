import { ownPlatformId } from '../../kinds/index.ts';
import type { InstanceRow } from '../rows.ts';

/** The platform that an instance belongs to. */
export function platformOf({ spec }: InstanceRow): string {
  return spec.platformId ?? ownPlatformId;
}

/**
 * Whether the service manager runs the instance itself: it is of the own platform, or its label `operated_by` says that
 * somebody manages it through the service manager although it was made elsewhere.
 */
export function isOperatedHere(instance: InstanceRow): boolean {
  return platformOf(instance) === ownPlatformId || instance.spec.labels?.['operated_by'] !== undefined;
}
