import type { JsonObject } from '../object.ts';

/** Whether a value is a JSON object, and neither an array nor null. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
