import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';

/** A text of a platform's request that must be there. Throws `BadRequest`. */
export function requiredText(body: JsonObject, field: string): string {
  const value = optionalText(body, field);
  if (value === undefined) throw smError('BadRequest', `"${field}" is required`, { field });
  return value;
}

/** A text that may be missing; null and the empty text count as missing. */
export function optionalText(body: JsonObject, field: string): string | undefined {
  const value = body[field] ?? '';
  if (typeof value !== 'string') throw smError('BadRequest', `"${field}" must be a string`, { field });
  return value === '' ? undefined : value;
}

/** An object that may be missing; null counts as missing. */
export function optionalObject(body: JsonObject, field: string): JsonObject | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw smError('BadRequest', `"${field}" must be an object`, { field });
  }
  return value;
}
