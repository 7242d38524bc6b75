import { smError } from '../../errors.ts';
import { isLandscapeId, ownPlatformId } from '../../kinds/index.ts';
import type { Registry, VisibilityRow } from '../rows.ts';

/** A visibility that is to be, or is to be changed. */
interface WantedVisibility {
  readonly id: string;
  readonly spec: VisibilityRow['spec'];
}

/**
 * Throws when a plan's other visibilities leave no room for this one: `Conflict` for the same platform, `BadRequest` when
 * one is for every platform and another is not. The visibility by which the landscape opens its own offerings to the
 * service manager itself leaves room for every other one.
 */
export function assertNoClash({ visibilities }: Pick<Registry, 'visibilities'>, wanted: WantedVisibility): void {
  const { planId, platformId = '' } = wanted.spec;
  for (const other of visibilities.by('planId', planId)) {
    if (other.id === wanted.id) continue;
    const otherPlatformId = other.spec.platformId ?? '';
    if (otherPlatformId === platformId) throw smError('Conflict', 'found conflicting visibility', { ids: [other.id] });
    if (isOfLandscape(other) || isOfLandscape(wanted)) continue;
    if (otherPlatformId === '') throw publicClash('the plan is already visible on every platform', other);
    if (platformId === '')
      throw publicClash('the plan cannot be made visible on every platform: it is visible on some', other);
  }
}

const isOfLandscape = ({ id, spec }: WantedVisibility): boolean =>
  isLandscapeId(id) && spec.platformId === ownPlatformId;

const publicClash = (message: string, { id }: VisibilityRow) =>
  smError('BadRequest', message, { ids: [id], field: 'platform_id' });
