import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { isJsonObject } from '../json.ts';

const maxNameLength = 255;

/** A text that must be there. Throws `BadRequest`. */
export function requiredText(body: JsonObject, field: string): string {
  const value = optionalText(body, field);
  if (value === undefined || value === '') throw smError('BadRequest', `missing ${field}`, { field });
  return value;
}

/** A text that may be missing or null. Throws `BadRequest` for anything else. */
export function optionalText(body: JsonObject, field: string): string | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return value;
  if (typeof value !== 'string') throw smError('BadRequest', `${field} must be a string`, { field });
  // Not every database can store it.
  if (value.includes('\0')) throw smError('BadRequest', `${field} holds the character NUL`, { field });
  return value;
}

/** An object that may be missing or null. Throws `BadRequest` for anything else. */
export function optionalObject(body: JsonObject, field: string): JsonObject | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined || isJsonObject(value)) return value;
  throw smError('BadRequest', `${field} must be an object`, { field });
}

/** The name of a resource. Throws `BadRequest`. */
export function requiredName(body: JsonObject): string {
  const name = requiredText(body, 'name');
  if (name.length <= maxNameLength) return name;
  throw smError('BadRequest', `name is longer than ${maxNameLength} characters`, { field: 'name' });
}

/** Throws `BadRequest` when the body has one of the fields. */
export function rejectFields(body: JsonObject, fields: readonly string[]): void {
  const field = fields.find(name => body[name] !== undefined);
  if (field !== undefined) throw smError('BadRequest', `invalid request: ${field} may not be given`, { field });
}

/** The body without fields that clients send back and that change nothing. */
export function withoutIgnored(body: JsonObject, ignored: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([field]) => !ignored.includes(field)));
}

/** A truth value that may be missing or null. Throws `BadRequest` for anything else. */
export function optionalFlag(body: JsonObject, field: string): boolean | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw smError('BadRequest', `${field} must be true or false`, { field });
}
