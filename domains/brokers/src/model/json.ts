import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@chandlery/api';

/** The one text of a JSON value: keys sorted at every depth, no white space. Absent fields are left out. */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const field = value[key];
    if (field !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return `{${text}}`;
}

/** A short name for parameters: equal for equal ones, whatever their order. Absent ones equal `{}`. */
export function hashParameters(parameters: JsonObject | null | undefined): string {
  return parameters === undefined || parameters === null ? hashOfNothing : hashOf(parameters);
}

const hashOf = (parameters: JsonObject): string => hash('sha256', canonicalJson(parameters), 'base64url');

const hashOfNothing = hashOf({});

/** Whether a value is a JSON object: neither null nor an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entries of an object that have a value: cleared and absent fields are left out. */
export const withoutUndefined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
