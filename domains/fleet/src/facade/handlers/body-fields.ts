import type { JsonObject } from '@chandlery/api';
import { type FleetError, fleetError } from '../../errors.ts';

/** Returns error 17 for a body that cannot be used. */
export const bodyError = (problem: string): FleetError => fleetError(17, `Unable to read request body: ${problem}`);

/** Parses a body that must be a JSON object. Throws error 17; what was sent is not repeated. */
export function parseBody(body: Buffer | undefined): JsonObject {
  if (body === undefined || body.length === 0) throw bodyError('it is empty');
  return asObject(parseJson(body.toString('utf8')), 'the body');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw bodyError('it is not valid JSON');
  }
}

/** Throws error 17 unless the value is a JSON object. */
export function asObject(value: unknown, what: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw bodyError(`${what} must be a JSON object`);
  return value as JsonObject;
}

/** Reads the fields of an object. A field that is null counts as absent; one of the wrong type throws error 17. */
export interface FieldReader {
  text(name: string): string | undefined;
  flag(name: string): boolean | undefined;
  number(name: string): number | undefined;
  texts(name: string): readonly string[] | undefined;
  /** Readers of the objects in a list. */
  objects(name: string): readonly FieldReader[] | undefined;
  object(name: string): FieldReader | undefined;
  /** Readers of all fields, each of which must be an object. */
  entries(): ReadonlyMap<string, FieldReader>;
}

/** Returns a reader; `path` names the object in errors. */
export function fieldsOf(object: JsonObject, path = ''): FieldReader {
  const place = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const read = <T>(name: string, type: string, isSuch: (value: unknown) => value is T): T | undefined => {
    const value: unknown = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value === undefined || value === null) return undefined;
    if (!isSuch(value)) throw bodyError(`${place(name)} must be a ${type}`);
    return value;
  };
  const nested = (value: unknown, name: string): FieldReader => fieldsOf(asObject(value, place(name)), place(name));
  return {
    text: name => read(name, 'string', isText),
    flag: name => read(name, 'boolean', isFlag),
    number: name => read(name, 'number', isNumber),
    texts: name => read(name, 'list of strings', isTexts),
    objects: name => read(name, 'list', isList)?.map((item, at) => nested(item, `${name}[${at}]`)),
    object: name => {
      const value = read(name, 'JSON object', isPresent);
      return value === undefined ? undefined : nested(value, name);
    },
    entries: () => new Map(Object.entries(object).map(([name, value]) => [name, nested(value, name)])),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isTexts = (value: unknown): value is readonly string[] => isList(value) && value.every(isText);
const isPresent = (value: unknown): value is object => value !== undefined;
