import type { JsonObject } from '@chandlery/api';
import { smError } from '../../../errors.ts';
import { optionalText, requiredText } from './body-fields.ts';

/** A truth value that may be missing or null. Throws `BadRequest` for anything else. */
export function optionalFlag(body: JsonObject, field: string): boolean | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw smError('BadRequest', `${field} must be true or false`, { field });
}

/** A required text after a PATCH: what the body says, or what there was. Throws `BadRequest` when it is cleared. */
export function patchedRequired(body: JsonObject, field: string, before: string): string {
  return body[field] === undefined ? before : requiredText(body, field);
}

/** An optional text after a PATCH: absent stays, null clears. */
export function patchedText(body: JsonObject, field: string, before: string | undefined): string | undefined {
  return body[field] === undefined ? before : optionalText(body, field);
}

/** Leaves out what has no value, so that cleared fields are gone. */
export const withoutUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
