import type { KubeObject } from './object.ts';

/** A version of an object, as the server lists it. */
export interface RevisionEntry {
  readonly revision: string;
  readonly type: 'created' | 'updated' | 'deleted';
  readonly time?: string;
  readonly generation?: number;
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly changed?: readonly string[];
  readonly changedCount?: number;
  readonly isCurrent?: boolean;
}

/** What an author can change of an object: what the server keeps account of is left out. */
export function authored(object: KubeObject): KubeObject {
  const { metadata, status: _, ...rest } = object as KubeObject & { status?: unknown };
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = metadata;
  const kept = Object.entries({ name, namespace, labels, annotations, finalizers, ownerReferences });
  return { ...rest, metadata: Object.fromEntries(kept.filter(([, value]) => value !== undefined)) };
}
