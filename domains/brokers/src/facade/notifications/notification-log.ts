import type { KubeObject } from '@chandlery/api';
import type { Follower } from '@chandlery/registry';
import { idOfName, type Notification } from '../../kinds/index.ts';
import type { NotificationRow, Table } from '../../model/rows.ts';
import { EncodedNotification, type NotificationContent } from './encoded-notification.ts';
import { FrameStore } from './frame-store.ts';

/** A notification and whom it is for. */
export interface LoggedNotification {
  readonly id: string;
  readonly revision: number;
  /** Undefined: every platform. */
  readonly platformIds: readonly string[] | undefined;
}

/** Receives a notification. */
export type NotificationListener = (notification: LoggedNotification, encoded: EncodedNotification) => void;

const keptBytes = 16 * 1024 * 1024;

/**
 * The stored notifications, strictly ordered by revision.
 *
 * The table of the registry shows commits of this process at once and earlier commits of other replicas later. A proxy
 * that received the later one first and disconnected would resume behind it and miss the earlier one. A watch delivers
 * in order. The content stays in the table; the log has revisions, audiences and recently sent frames.
 */
export class NotificationLog implements Follower {
  readonly #table: Table<NotificationRow>;
  readonly #notify: NotificationListener;
  readonly #frames = new FrameStore(keptBytes);
  readonly #filled = Promise.withResolvers<void>();
  readonly #byId = new Map<string, LoggedNotification>();
  /** In the order of revisions. */
  readonly #entries: LoggedNotification[] = [];
  #position = 0;
  /** What a list has named so far; undefined while none is read. */
  #listed: Map<string, KubeObject> | undefined;

  constructor(table: Table<NotificationRow>, notify: NotificationListener) {
    this.#table = table;
    this.#notify = notify;
  }

  get position(): number {
    return this.#position;
  }

  /** Resolves when everything is there. */
  get filled(): Promise<void> {
    return this.#filled.promise;
  }

  /** The newest revision; undefined while there are no notifications. */
  get newest(): number | undefined {
    return this.#entries.at(-1)?.revision;
  }

  /**
   * The notifications that a platform has missed since a revision, in order. Undefined when they are not available: the
   * revision is not stored (any more, or yet), or more than `limit` were missed.
   */
  since(revision: number, platformId: string, limit: number): readonly EncodedNotification[] | undefined {
    const start = this.#placeOf(revision);
    if (this.#entries[start]?.revision !== revision) return undefined;
    const missed: LoggedNotification[] = [];
    for (let place = start + 1; place < this.#entries.length && missed.length <= limit; place++) {
      const entry = this.#entries[place];
      if (entry?.platformIds?.includes(platformId) ?? true) missed.push(entry as LoggedNotification);
    }
    if (missed.length > limit) return undefined;
    const encoded = missed.flatMap(entry => this.#encodedOf(entry) ?? []);
    return encoded.length === missed.length ? encoded : undefined;
  }

  beginList(): void {
    this.#listed = new Map();
  }

  endList(revision: number): void {
    const listed = this.#listed ?? new Map<string, KubeObject>();
    this.#listed = undefined;
    for (const { id } of [...this.#entries]) if (!listed.has(id)) this.#drop(id);
    const missed = [...listed].filter(([id]) => !this.#byId.has(id)).map(([, object]) => object);
    for (const object of missed.sort((left, right) => revisionOf(left) - revisionOf(right))) this.#add(object);
    this.advance(revision);
    this.#filled.resolve();
  }

  put(object: KubeObject): void {
    if (this.#listed !== undefined) this.#listed.set(idOf(object), object);
    // Notifications are immutable; a changed label is not a new notification.
    else if (!this.#byId.has(idOf(object))) this.#add(object);
    if (this.#listed === undefined) this.advance(revisionOf(object));
  }

  remove(object: KubeObject): void {
    this.#drop(idOf(object));
    this.advance(revisionOf(object));
  }

  advance(revision: number): void {
    this.#position = Math.max(this.#position, revision);
  }

  #add(object: KubeObject): void {
    const { spec } = object as unknown as Notification;
    const entry = { id: idOf(object), revision: revisionOf(object), platformIds: spec.platformIds };
    this.#entries.push(entry);
    this.#byId.set(entry.id, entry);
    // The first list is history, and no consumer is connected yet.
    if (this.#position === 0) return;
    const encoded = new EncodedNotification(contentOf(object as unknown as Notification, entry));
    this.#frames.put(encoded);
    this.#notify(entry, encoded);
  }

  /** The oldest go first, and then moving the others is one copy of memory. */
  #drop(id: string): void {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    this.#byId.delete(id);
    this.#entries.splice(this.#placeOf(entry.revision), 1);
    this.#frames.delete(entry.revision);
  }

  #encodedOf({ id, revision }: LoggedNotification): EncodedNotification | undefined {
    const kept = this.#frames.get(revision);
    const row = kept === undefined ? this.#table.get(id) : undefined;
    if (row === undefined) return kept;
    const encoded = new EncodedNotification({ ...row, revision });
    this.#frames.put(encoded);
    return encoded;
  }

  /** Where the revision is, or would be. */
  #placeOf(revision: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.revision ?? 0) < revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const idOf = ({ metadata }: KubeObject): string => idOfName(metadata.name ?? '');

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);

function contentOf(
  { metadata, spec, status }: Notification,
  { id, revision }: LoggedNotification,
): NotificationContent {
  const createdAt = status?.createdAt ?? metadata.creationTimestamp ?? '';
  return { id, revision, createdAt, updatedAt: status?.updatedAt ?? createdAt, spec };
}
