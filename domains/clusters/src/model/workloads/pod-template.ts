import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { PodTemplate } from './objects.ts';

/** Distinguishes the pods of different templates. */
export const templateHashLabel = 'pod-template-hash';

/** Without vowels and similar characters. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    entries.sort(([left], [right]) => (left < right ? -1 : 1)).map(([key, field]) => [key, canonical(field)]),
  );
};

/** Ten letters that identify a JSON value; the order of fields does not matter. */
export function hashOf(value: unknown): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(canonical(value)))
    .digest();
  return [...digest.subarray(0, 10)].map(byte => alphabet[byte % alphabet.length]).join('');
}

/** The hash of a template; the collision count changes it after a name conflict. */
export const hashTemplate = (template: PodTemplate, collisions: number): string =>
  hashOf(collisions === 0 ? withoutHash(template) : [withoutHash(template), collisions]);

/** True when pods of both would be the same. */
export const isSameTemplate = (left: PodTemplate | undefined, right: PodTemplate | undefined): boolean =>
  isDeepStrictEqual(canonical(withoutHash(left ?? {})), canonical(withoutHash(right ?? {})));

/** The template with the label that ties its pods to their set. */
export const withHash = (template: PodTemplate, hash: string): PodTemplate => ({
  ...template,
  metadata: { ...template.metadata, labels: { ...template.metadata?.labels, [templateHashLabel]: hash } },
});

function withoutHash({ metadata, ...rest }: PodTemplate): PodTemplate {
  const { [templateHashLabel]: _, ...labels } = metadata?.labels ?? {};
  return { ...rest, metadata: { ...metadata, labels } };
}
