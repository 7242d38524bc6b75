import { ownPlatformId } from '../../kinds/index.ts';
import type { InstanceRow } from '../rows.ts';

/** The platform that an instance belongs to. */
export function platformOf({ spec }: InstanceRow): string {
  return spec.platformId ?? ownPlatformId;
}

/**
 * Whether the service manager operates the instance: it belongs to the own platform, or its label `operated_by` says
 * that it is managed through the service manager although another platform created it.
 */
export function isOperatedHere(instance: InstanceRow): boolean {
  return platformOf(instance) === ownPlatformId || instance.spec.labels?.['operated_by'] !== undefined;
}
