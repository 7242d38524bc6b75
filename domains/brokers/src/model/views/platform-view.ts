import type { JsonObject } from '@chandlery/api';
import type { PlatformRow } from '../../registry/registry.ts';
import { present, rowView, type Viewed } from './row-view.ts';

/** A platform as the service manager shows it, without credentials. */
export function platformView(platform: Viewed<PlatformRow>): JsonObject {
  const { name = platform.id, type, description = '', suspended = false, technical } = platform.spec;
  return { ...rowView(platform), name, type, description, suspended, ...present({ technical }) };
}
