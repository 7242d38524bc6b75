import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@chandlery/api';

/** The one text of a JSON value: keys sorted at every depth, no white space. Absent fields are left out. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(sorted(value));
}

/** A short name for parameters: equal for equal ones, whatever their order. Absent ones equal `{}`. */
export function hashParameters(parameters: JsonObject | null | undefined): string {
  return parameters === undefined || parameters === null ? hashOfNothing : hashOf(parameters);
}

const hashOf = (parameters: JsonObject): string => hash('sha256', canonicalJson(parameters), 'base64url');

const hashOfNothing = hashOf({});

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const result: JsonObject = Object.create(null) as JsonObject;
  for (const key of Object.keys(value).sort()) {
    const field = value[key];
    if (field !== undefined) result[key] = sorted(field);
  }
  return result;
}
