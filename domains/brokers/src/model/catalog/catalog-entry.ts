import type { JsonObject, JsonValue } from '@chandlery/api';
import { type SmError, smError } from '../../errors.ts';
import { isJsonObject } from '../json.ts';

/**
 * An object of a catalog whose fields are read by name. Null counts as absent, for brokers write both.
 * Every refusal names the path of the field.
 */
export class CatalogEntry {
  readonly raw: JsonObject;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    this.#path = path;
    if (!isJsonObject(value)) throw invalidCatalog(path || 'the document', 'must be an object');
    this.raw = value;
  }

  reject(key: string, why: string): SmError {
    return invalidCatalog(this.pathOf(key), why);
  }

  pathOf(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`;
  }

  requiredText(key: string): string {
    const value = this.text(key);
    if (value === undefined || value === '') throw this.reject(key, 'is missing or empty');
    return value;
  }

  text(key: string): string | undefined {
    const value = this.#value(key);
    if (value !== undefined && typeof value !== 'string') throw this.reject(key, 'must be a string');
    return value;
  }

  flag(key: string): boolean | undefined {
    const value = this.#value(key);
    if (value !== undefined && typeof value !== 'boolean') throw this.reject(key, 'must be true or false');
    return value;
  }

  texts(key: string): string[] | undefined {
    const value = this.list(key);
    if (value === undefined) return undefined;
    return value.map((item, i) => {
      if (typeof item !== 'string') throw this.reject(`${key}[${i}]`, 'must be a string');
      return item;
    });
  }

  list(key: string): JsonValue[] | undefined {
    const value = this.#value(key);
    if (value !== undefined && !Array.isArray(value)) throw this.reject(key, 'must be a list');
    return value;
  }

  entries(key: string): CatalogEntry[] {
    return (this.list(key) ?? []).map((item, i) => new CatalogEntry(item, this.pathOf(`${key}[${i}]`)));
  }

  entry(key: string): CatalogEntry | undefined {
    const value = this.#value(key);
    return value === undefined ? undefined : new CatalogEntry(value, this.pathOf(key));
  }

  wholeNumber(key: string): number | undefined {
    const value = this.#value(key);
    if (value === undefined) return undefined;
    if (!Number.isSafeInteger(value) || (value as number) < 0) throw this.reject(key, 'must be a whole number');
    return value as number;
  }

  #value(key: string): JsonValue | undefined {
    return Object.hasOwn(this.raw, key) ? (this.raw[key] ?? undefined) : undefined;
  }
}

/** Throws when two entries have the same text under a key. */
export function assertUnique(entries: readonly CatalogEntry[], key: string): void {
  const seen = new Set<string>();
  for (const entry of entries) {
    const value = entry.requiredText(key);
    if (seen.has(value)) throw entry.reject(key, `${JSON.stringify(value)} occurs twice`);
    seen.add(value);
  }
}

const invalidCatalog = (path: string, why: string): SmError =>
  smError('BadRequest', `the catalog is invalid: ${path} ${why}`, { field: path });
