import { badRequest } from '../api-errors.ts';
import { int64Of } from './big-integers.ts';

/**
 * Gives all numbers of a tree the one representation that they have after being stored: integers beyond the safe ones
 * are bigints, however they were written (`1e18`). Throws `BadRequest` for numbers that JSON cannot represent. In place,
 * and not recursive: only to be called for texts that have such numbers.
 */
export function canonicalizeNumbers(root: unknown): unknown {
  const holder = [root];
  const pending: object[] = [holder];
  for (let container = pending.pop(); container !== undefined; container = pending.pop()) {
    const fields = container as Record<string, unknown>;
    // For lists `Object.keys` would make a string of every index.
    const keys = Array.isArray(container) ? container.keys() : Object.keys(container);
    for (const key of keys) {
      const value = fields[key];
      if (typeof value === 'object' && value !== null) pending.push(value);
      else if (typeof value === 'number' && !Number.isSafeInteger(value))
        setNumber(fields, key, canonicalNumber(value));
    }
  }
  return holder[0];
}

function canonicalNumber(value: number): number | bigint {
  if (!Number.isFinite(value)) {
    throw badRequest('a number is too large: only numbers up to about 1.8e308 can be represented');
  }
  // Through its text: that is what would be stored, and read again.
  return Number.isInteger(value) && Math.abs(value) < 2 ** 64 ? (int64Of(BigInt(String(value))) ?? value) : value;
}

/** Assigning to a key named `__proto__` would be lost. */
function setNumber(fields: Record<string, unknown>, key: string | number, value: number | bigint): void {
  if (typeof value === 'bigint') Object.defineProperty(fields, key, { value });
}
