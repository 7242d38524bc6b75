/**
 * How integers that a JavaScript number cannot hold are represented: as `bigint`, within int64, and only beyond the safe
 * integers. Everything else is a `number`, so code that counts and compares small numbers never meets the other type.
 */

/** `JSON.rawJSON`, which TypeScript does not declare yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

// Objects become text in many places, some of them in libraries. Were one of them to forget about bigints,
// `JSON.stringify` would throw there, and an object of a tenant could stop a controller.
Object.defineProperty(BigInt.prototype, 'toJSON', {
  value(this: bigint): unknown {
    return rawJSON(this.toString());
  },
  configurable: true,
  writable: true,
});

/** Whether an integer lies within int64. */
export const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** The integer in the representation of JSON trees: a number when that is exact. Undefined beyond int64. */
export function int64Of(value: bigint): number | bigint | undefined {
  if (!isInt64(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** True for a value that is an integer as Kubernetes understands it: int64, or a double that is exact. */
export const isInteger = (value: unknown): value is number | bigint =>
  Number.isSafeInteger(value) || typeof value === 'bigint';
