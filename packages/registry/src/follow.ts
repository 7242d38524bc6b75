import { setTimeout as pause } from 'node:timers/promises';
import { isError, type KubeObject, toError, watchIdleTimeoutMs } from '@chandlery/api';
import type { Client, ResourceRef, WatchEvent } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { backOffMs } from '@chandlery/runtime';

/** The consumer of a collection's changes. */
export interface Follower {
  /** The last revision it has seen: a watch that broke off resumes from here. */
  readonly position: number;
  /** All objects follow, one `put` each. */
  beginList(): void;
  /** The list is complete as of this revision. */
  endList(revision: number): void;
  put(object: KubeObject): void;
  /** Returns whether it has this state already; if so the event counts as delivered. Default: it has none. */
  passIfKnown?(name: string, revision: number): boolean;
  remove(object: KubeObject): void;
  advance(revision: number): void;
}

/** What to follow, for which consumer, and until when. */
export interface FollowOptions {
  readonly client: Client;
  readonly ref: ResourceRef;
  readonly follower: Follower;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Called when stored objects are damaged, which no retry repairs. Default: nothing is called. */
  readonly onDamage?: (() => void) | undefined;
}

/** After so many failures to resume a watch, everything is listed again. */
const failuresBeforeList = 3;
const backOff = { baseMs: 50, maxMs: 10_000, jitter: 0.5 };

/**
 * Follows a collection until the signal aborts: lists it as the initial events of a watch, then watches, resumes where
 * it was after any failure, and lists again where history has expired. Never rejects.
 *
 * It has no cache. An informer has one, and its whole objects beside the tables' rows would double the memory.
 */
export async function follow(options: FollowOptions): Promise<void> {
  const { signal, logger, ref } = options;
  let mustList = true;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await watchOnce(options, mustList, () => {
        mustList = false;
        failures = 0;
      });
    } catch (thrown) {
      const error = toError(thrown);
      failures++;
      if (isAboutDamage(error)) options.onDamage?.();
      mustList ||= isError(error, 'Expired', 'Gone') || failures >= failuresBeforeList;
      if (!signal.aborted) logger.warn('the registry lost its watch', { kind: ref.plural, error: error.message });
    }
    await pause(backOffMs(Math.max(failures, 1), backOff), undefined, { signal }).catch(() => undefined);
  }
}

/** The client throws an internal error, with the store's own as its cause. */
const isAboutDamage = (error: Error): boolean => isError(error, 'StoreDamaged') || isError(error.cause, 'StoreDamaged');

/** Follows until the watch ends. Calls `onProgress` with each event once the list is complete. */
async function watchOnce(
  { client, ref, follower, signal }: FollowOptions,
  mustList: boolean,
  onProgress: () => void,
): Promise<void> {
  let isListing = mustList;
  const start = mustList ? { hasInitialEvents: true } : { resourceVersion: String(follower.position) };
  if (isListing) follower.beginList();
  const isKnown = (name: string, revision: number): boolean => follower.passIfKnown?.(name, revision) ?? false;
  for await (const event of client.watch(ref, { ...start, signal, idleTimeoutMs: watchIdleTimeoutMs, isKnown })) {
    if (!isListing) take(event, follower);
    else if (event.type !== 'BOOKMARK') follower.put(event.object);
    else if (isListEnd(event)) {
      isListing = false;
      follower.endList(revisionOf(event.object));
    }
    if (!isListing) onProgress();
  }
}

function take({ type, object }: WatchEvent, follower: Follower): void {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return follower.put(object);
    case 'DELETED':
      return follower.remove(object);
    case 'BOOKMARK':
      return follower.advance(revisionOf(object));
  }
}

const isListEnd = ({ object }: WatchEvent): boolean =>
  object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);
