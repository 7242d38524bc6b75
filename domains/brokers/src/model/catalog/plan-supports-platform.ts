import { ownPlatformId } from '../../kinds/index.ts';
import type { PlanRow, PlatformRow } from '../rows.ts';

/**
 * Whether a plan's metadata allows a platform: by type, by name, or by not naming it. An empty list says nothing.
 *
 * `ownPlatformTypes` are other words for the type of the service manager's own platform.
 */
export function planSupportsPlatform(
  { spec }: Pick<PlanRow, 'spec'>,
  platform: Pick<PlatformRow, 'id' | 'spec'>,
  ownPlatformTypes: readonly string[] = [],
): boolean {
  const { name = platform.id, type } = platform.spec;
  const types = platform.id === ownPlatformId ? [type, ...ownPlatformTypes] : [type];
  const supported = listOf(spec, 'supportedPlatforms');
  if (supported.length > 0) return types.some(word => supported.includes(word));
  const names = listOf(spec, 'supportedPlatformNames');
  if (names.length > 0) return names.includes(name);
  return !listOf(spec, 'excludedPlatformNames').includes(name);
}

/** Catalogs are checked before they become plans: what is there is a list of strings. */
function listOf({ metadata }: PlanRow['spec'], key: string): readonly string[] {
  const value = metadata?.[key];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}
