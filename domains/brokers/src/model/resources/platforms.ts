import type { JsonObject } from '@chandlery/api';
import type { PlatformRow } from '../rows.ts';
import { present, rowView, type Viewed } from './resource.ts';

/** A platform as the service manager shows it, without credentials. */
export function platformView(platform: Viewed<PlatformRow>): JsonObject {
  const { name = platform.id, type, description = '', suspended = false, technical } = platform.spec;
  return { ...rowView(platform), name, type, description, suspended, ...present({ technical }) };
}
