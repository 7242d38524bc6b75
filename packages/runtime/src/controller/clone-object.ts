import type { KubeObject } from '@chandlery/api';

/** A copy of JSON data that may be changed: several times faster than `structuredClone`, which knows more than JSON. */
export const cloneObject = <T extends KubeObject>(object: T): T => cloned(object) as T;

function cloned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cloned);
  // A spread makes even `__proto__` an own key, so that setting it below changes no prototype.
  const copy: Record<string, unknown> = { ...value };
  for (const key of Object.keys(copy)) {
    const part = copy[key];
    if (typeof part === 'object' && part !== null) copy[key] = cloned(part);
  }
  return copy;
}
