import type { JsonObject } from '@chandlery/api';
import type { VisibilityRow } from '../rows.ts';
import { rowView, type Viewed } from './resource.ts';

/** A visibility as the service manager shows it. For every platform, `platform_id` is empty. */
export const visibilityView = (visibility: Viewed<VisibilityRow>): JsonObject => ({
  ...rowView(visibility),
  platform_id: visibility.spec.platformId ?? '',
  service_plan_id: visibility.spec.planId,
});
