import { createHash } from 'node:crypto';
import type { JsonValue, KubeObject } from '@chandlery/api';

/** On objects with secrets: digest of `data`, by which a change of theirs is noticed without knowing the secrets. */
export const contentDigestAnnotation = 'fleet.chandlery.io/content-digest';

/** A short digest of any JSON value. */
export const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, 32);

/** The object with the digest of its `data`, if it has any. */
export function withContentDigest(object: KubeObject): KubeObject {
  if (object['data'] === undefined) return object;
  const annotations = { ...object.metadata.annotations, [contentDigestAnnotation]: dataDigest(object) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Whether `data` is still what was applied. Objects without a digest count as unchanged. */
export function hasAppliedContent(live: KubeObject): boolean {
  const digest = live.metadata.annotations?.[contentDigestAnnotation];
  return digest === undefined || digest === dataDigest(live);
}

const dataDigest = (object: KubeObject): string =>
  digestOf(Object.entries(object['data'] ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)));

/** Whether a value has everything that is desired; more is fine. Lists must have as many items. */
export function contains(live: unknown, desired: JsonValue | undefined): boolean {
  if (desired === undefined) return true;
  if (Array.isArray(desired))
    return (
      Array.isArray(live) && live.length === desired.length && desired.every((item, at) => contains(live[at], item))
    );
  if (typeof desired !== 'object' || desired === null) return live === desired;
  if (typeof live !== 'object' || live === null) return false;
  const fields = live as Readonly<Record<string, unknown>>;
  return Object.entries(desired).every(([key, value]) => contains(fields[key], value));
}
