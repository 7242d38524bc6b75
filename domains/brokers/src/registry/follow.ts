import { setTimeout as pause } from 'node:timers/promises';
import { isError, type KubeObject, toError } from '@chandlery/api';
import type { Client, ResourceRef, WatchEvent } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { backOffMs } from '@chandlery/runtime';

/** Who wants to know what happens to a collection. */
export interface Follower {
  /** How far it has come: a watch that broke off goes on from here. */
  readonly position: number;
  /** All objects follow, one `put` each. */
  beginList(): void;
  /** These were all, as of this revision. */
  endList(revision: number): void;
  put(object: KubeObject): void;
  /** Whether a state is here already; if so it counts as told. Default: nothing is. */
  passIfKnown?(name: string, revision: number): boolean;
  remove(object: KubeObject): void;
  advance(revision: number): void;
}

/** What to follow, for whom, and how long. */
export interface FollowOptions {
  readonly client: Client;
  readonly ref: ResourceRef;
  readonly follower: Follower;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Told when rows cannot be read, which trying again does not change. Default: nobody. */
  readonly onDamage?: (() => void) | undefined;
}

/** Bookmarks come every minute. */
const idleTimeoutMs = 150_000;
/** A watch that is refused so often from where it was may never be accepted: then everything is read again. */
const refusalsBeforeList = 3;
const backOff = { baseMs: 50, maxMs: 10_000, jitter: 0.5 };

/**
 * Follows a collection until the signal ends it: reads all of it as the first events of a watch, then its changes, and
 * begins again where it was after whatever goes wrong, or from the start where history is gone. Never rejects.
 *
 * It keeps nothing. An informer would: its cache of whole objects beside the tables' rows would double the memory.
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
      mustList ||= isError(error, 'Expired', 'Gone') || failures >= refusalsBeforeList;
      if (!signal.aborted) logger.warn('the registry lost its watch', { kind: ref.plural, error: error.message });
    }
    await pause(backOffMs(Math.max(failures, 1), backOff), undefined, { signal }).catch(() => undefined);
  }
}

/** The client tells an internal error, and the store's own as its cause. */
const isAboutDamage = (error: Error): boolean => isError(error, 'StoreDamaged') || isError(error.cause, 'StoreDamaged');

/** Follows until the watch ends. `onProgress` is called whenever it is plain that it works. */
async function watchOnce(
  { client, ref, follower, signal }: FollowOptions,
  mustList: boolean,
  onProgress: () => void,
): Promise<void> {
  let isListing = mustList;
  const start = mustList ? { hasInitialEvents: true } : { resourceVersion: String(follower.position) };
  if (isListing) follower.beginList();
  const isKnown = (name: string, revision: number): boolean => follower.passIfKnown?.(name, revision) ?? false;
  for await (const event of client.watch(ref, { ...start, signal, idleTimeoutMs, isKnown })) {
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
