import { badRequest, invalidField } from '../../errors.ts';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export const isJsonObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a body that must be a JSON object. Throws `bad-request`. */
export function parseJsonObject(bytes: Uint8Array | undefined): Json {
  const value = parseJsonValue(bytes);
  if (!isJsonObject(value)) throw badRequest('The body must be a JSON object');
  return value;
}

/** Parses a body that must be JSON. Throws `bad-request`. */
export function parseJsonValue(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined || bytes.length === 0) throw badRequest('The body is empty; it must be JSON');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw badRequest(`The body is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/** Reads the fields of a body. A field that is null counts as absent; one of the wrong type throws `invalid`. */
export interface FieldReader {
  text(name: string): string | undefined;
  /** As {@link text}; throws when it is absent or empty. */
  requiredText(name: string): string;
  flag(name: string): boolean | undefined;
  integer(name: string): number | undefined;
  texts(name: string): string[] | undefined;
  object(name: string): Record<string, unknown> | undefined;
  objects(name: string): Record<string, unknown>[] | undefined;
}

/** Returns a reader; `path` is put before the names in errors. */
export function fieldsOf(body: Json, path = ''): FieldReader {
  const read = <T>(name: string, type: string, isSuch: (value: unknown) => value is T): T | undefined => {
    const value: unknown = Object.hasOwn(body, name) ? body[name] : undefined;
    if (value === undefined || value === null) return undefined;
    if (!isSuch(value)) throw invalidField(path + name, `${path}${name} must be ${type}`, value);
    return value;
  };
  const text = (name: string): string | undefined => read(name, 'text', isText);
  return {
    text,
    requiredText: name => {
      const found = text(name);
      if (found === undefined || found === '') throw invalidField(path + name, `${path}${name} is missing`, found);
      return found;
    },
    flag: name => read(name, 'true or false', isFlag),
    integer: name => read(name, 'an integer', isInteger),
    texts: name => read(name, 'a list of texts', isTexts),
    object: name => read(name, 'an object', isObject),
    objects: name => read(name, 'a list of objects', isObjects),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): value is Record<string, unknown> => isJsonObject(value);
const isObjects = (value: unknown): value is Record<string, unknown>[] =>
  Array.isArray(value) && value.every(isJsonObject);

/** Returns an object without the fields that are undefined. */
export function withoutUndefined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
