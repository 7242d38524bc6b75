import { createHash } from 'node:crypto';
import { formatTime, isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef } from '@chandlery/client';
import { type Clock, systemClock } from '@chandlery/platform';

/** Something that happened to an object, for people to read. */
export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase, documented. */
  readonly reason: string;
  /** Names the thing and its new value. */
  readonly message: string;
}

export interface EventRecorderOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  /** Who records: the name of the controller. */
  readonly component: string;
  /** How many different events an object may have at once; one more each `refillMs`. Default 25. */
  readonly burst?: number;
  /** Default 300,000. */
  readonly refillMs?: number;
  /** How many events may wait to be written; further ones are dropped. Default 1000. */
  readonly maxWaiting?: number;
  /** How many objects and events are remembered, the oldest forgotten first. Default 4096. */
  readonly maxRemembered?: number;
  /** Called for events that could not be written; they are dropped. Default: dropped silently. */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Records what happens to objects. Never waits, never throws: events are a courtesy. */
export interface EventRecorder extends AsyncDisposable {
  record(object: KubeObject, event: ObjectEvent): void;
  /** Resolves when everything recorded so far is written or dropped. */
  flush(): Promise<void>;
}

/**
 * Makes a recorder of core/v1 Events. The same event again raises the count of the one that is there; an object that has
 * exceeds its share of events is muted for a while.
 */
export const createEventRecorder = (options: EventRecorderOptions): EventRecorder => new QueuedRecorder(options);

interface Remembered {
  readonly name: string;
  count: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

class QueuedRecorder implements EventRecorder {
  readonly #options: Required<Omit<EventRecorderOptions, 'onError'>> & Pick<EventRecorderOptions, 'onError'>;
  readonly #events = new Map<string, Remembered>();
  readonly #buckets = new Map<string, Bucket>();
  #waiting = 0;
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: EventRecorderOptions) {
    this.#options = {
      burst: 25,
      refillMs: 300_000,
      maxWaiting: 1000,
      maxRemembered: 4096,
      clock: systemClock,
      ...options,
    };
  }

  record(object: KubeObject, event: ObjectEvent): void {
    if (this.#isClosed || this.#waiting >= this.#options.maxWaiting || !this.#takeToken(object)) return;
    const now = this.#options.clock.now();
    const about = aboutObject(object);
    this.#waiting += 1;
    this.#turn = this.#turn
      .then(() => this.#write(about, event, now))
      .catch((error: unknown) => this.#options.onError?.(error))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  flush(): Promise<void> {
    return this.#turn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
  }

  async #write(about: InvolvedObject, event: ObjectEvent, now: Date): Promise<void> {
    const id = JSON.stringify([about, event.type, event.reason, event.message]);
    const known = this.#events.get(id);
    if (known !== undefined && (await this.#countUp(about, known, now))) return;
    const name = eventName(about, id, now);
    await this.#options.client.create(eventRef(about), this.#newEvent(name, about, event, now));
    remember(this.#events, id, { name, count: 1 }, this.#options.maxRemembered);
  }

  /** False when the event no longer exists: the server deletes events after an hour or so. */
  async #countUp(about: InvolvedObject, known: Remembered, now: Date): Promise<boolean> {
    const body = { count: known.count + 1, lastTimestamp: formatTime(now) };
    try {
      await this.#options.client.patch({ ...eventRef(about), name: known.name }, { type: 'merge', body });
    } catch (error) {
      if (isError(error, 'NotFound')) return false;
      throw error;
    }
    known.count += 1;
    return true;
  }

  #newEvent(name: string, about: InvolvedObject, event: ObjectEvent, now: Date): KubeObject {
    const time = formatTime(now);
    const { component } = this.#options;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: eventNamespace(about) },
      involvedObject: about,
      ...event,
      // What is longer, Kubernetes rejects.
      message: event.message.slice(0, 1024),
      source: { component },
      reportingComponent: component,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  }

  #takeToken(object: KubeObject): boolean {
    const { burst, refillMs, maxRemembered, clock } = this.#options;
    const id = object.metadata.uid ?? `${object.kind}/${object.metadata.namespace}/${object.metadata.name}`;
    const nowMs = clock.now().getTime();
    const { tokens, atMs } = this.#buckets.get(id) ?? { tokens: burst, atMs: nowMs };
    const refilled = Math.min(burst, tokens + (nowMs - atMs) / refillMs);
    const isAllowed = refilled >= 1;
    remember(this.#buckets, id, { tokens: isAllowed ? refilled - 1 : refilled, atMs: nowMs }, maxRemembered);
    return isAllowed;
  }
}

interface InvolvedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
}

/** Without the version: events of all versions of the object are aggregated. */
function aboutObject({ apiVersion, kind, metadata: { name = '', namespace, uid } }: KubeObject): InvolvedObject {
  return { apiVersion, kind, name, ...(namespace && { namespace }), ...(uid && { uid }) };
}

/** Events about objects of the whole cluster live in `default`. */
const eventNamespace = ({ namespace = 'default' }: InvolvedObject): string => namespace;

const eventRef = (about: InvolvedObject): ObjectRef => ({
  group: '',
  version: 'v1',
  plural: 'events',
  namespace: eventNamespace(about),
  name: '',
});

/** As kubectl shows it: the object's name and something unique. */
function eventName({ name }: InvolvedObject, id: string, now: Date): string {
  const hash = createHash('sha256').update(`${id}${now.toISOString()}`).digest('hex').slice(0, 16);
  return `${name.slice(0, 230)}.${hash}`;
}

/** Keeps the newest entries: a Map remembers the order in which keys came. */
function remember<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
