import type { KubeObject, RevisionEntry } from '@chandlery/api';
import { type KindAddress, type ObjectName, objectPath } from './kinds.ts';
import { requestJson } from './request.ts';

/** A page of the versions of an object. */
export interface RevisionPage {
  /** Newest first. */
  readonly items: readonly RevisionEntry[];
  /** Where the next page begins; undefined when it is the last. */
  readonly next: string | undefined;
}

/** Where an object is, on a cluster. */
export interface ObjectPlace extends ObjectName {
  readonly cluster: string;
  readonly kind: KindAddress;
}

const pageSize = 50;

/** The versions of an object that are kept, also of a deleted one. */
export async function readRevisions(
  { cluster, kind, ...name }: ObjectPlace,
  next: string | undefined,
  signal: AbortSignal,
): Promise<RevisionPage> {
  const list = await requestJson<{
    readonly items: readonly RevisionEntry[];
    readonly metadata: { readonly continue?: string };
  }>(objectPath(cluster, kind, name), { query: { revisions: true, limit: pageSize, continue: next }, signal });
  return { items: list.items, next: list.metadata.continue };
}

/** Which version of an object: by its revision, or the one that it had at a time. */
export type PastChoice = { readonly revision: string } | { readonly at: string };

/** An object as it was. */
export const readPast = (
  { cluster, kind, ...name }: ObjectPlace,
  choice: PastChoice,
  signal: AbortSignal,
): Promise<KubeObject> => requestJson<KubeObject>(objectPath(cluster, kind, name), { query: { ...choice }, signal });
