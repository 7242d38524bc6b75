import { isError } from '@chandlery/api';
import { type Clock, Pace } from '@chandlery/platform';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { nextPageSize } from '../feed/next-page-size.ts';
import type { KindRegistry } from '../registry/kind-registry.ts';
import { type Change, formatKey, type KeptVersion, type Store } from '../store/store.ts';
import {
  isWorthKeeping,
  maxRevisionBytes,
  maxRevisionsPerObject,
  revisionMsOf,
  type TimedVersion,
} from './retention.ts';
import { readVersionFacts, type VersionFacts } from './version-facts.ts';

export interface RevisionKeeperOptions {
  readonly store: Store;
  readonly codec: SealedCodec;
  readonly registry: KindRegistry;
  readonly clock: Clock;
  /** How long versions are kept where their kind says nothing. 0: none are kept. */
  readonly revisionDays: number;
  readonly onFailure: (what: string, error: unknown) => void;
}

const followEveryMs = 1000;
const retryAfterMs = 5000;
const maxChangesPerPage = 200;
/** A page of changes, and what is copied at a time, have about this size: writers wait for the copy. */
const pageBytes = 4 * 1024 * 1024;
const trimBatch = 500;
/** The first page is short, as its size is unknown. */
const firstPage = 32;
/** Versions whose facts are remembered, so that what replaces them soon needs no read. */
const maxRemembered = 10_000;

/** The latest version of an object as the keeper saw it. */
interface Remembered extends TimedVersion {
  readonly revision: number;
  readonly bytes: number;
}

interface SizedVersion extends KeptVersion {
  readonly bytes: number;
}

/** Clients write the times of owners, too: what was written in the future would never expire. */
function factsAt(value: Change['value'], now: number): VersionFacts {
  const { writtenAt, ...facts } = readVersionFacts(value);
  return { ...facts, writtenAt: writtenAt === undefined ? undefined : Math.min(writtenAt, now) };
}

/**
 * Follows history in the process that leads maintenance and copies the versions that are worth keeping, a second after
 * they are superseded. Writers do not wait for it; compaction does, so that nothing is forgotten before it was looked at.
 */
export class RevisionKeeper {
  readonly #options: RevisionKeeperOptions;
  readonly #remembered = new Map<string, Remembered>();
  #position = 0;
  #isRunning = false;
  #stopListening: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(options: RevisionKeeperOptions) {
    this.#options = options;
  }

  get isKeeping(): boolean {
    return this.#options.revisionDays > 0;
  }

  /** Begins where history does: what was kept before is recognised. */
  async start(): Promise<void> {
    if (!this.isKeeping) return;
    const { store } = this.#options;
    this.#position = await store.compactedRevision();
    this.#isRunning = true;
    this.#stopListening = store.onAdvance(() => this.#schedule(followEveryMs));
    this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#stopListening();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#following.catch(() => {});
    this.#remembered.clear();
  }

  /** Settles when all that was superseded by now is kept. Does nothing in a process that does not lead. */
  async catchUp(): Promise<void> {
    if (!this.#isRunning) return;
    const following = this.#following.catch(() => {}).then(() => this.#follow());
    this.#following = following;
    await following;
  }

  /** Removes what has expired, and what is more than there is room for. */
  async trim(): Promise<void> {
    const { store, clock } = this.#options;
    const bounds = { nowMs: clock.now().getTime(), maxBytes: maxRevisionBytes };
    while ((await store.revisions.trim(bounds, trimBatch)) === trimBatch);
  }

  #schedule(afterMs: number): void {
    if (this.#timer !== undefined || !this.#isRunning) return;
    this.#timer = setTimeout(() => void this.#run(), afterMs);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    try {
      await this.catchUp();
    } catch (error) {
      this.#options.onFailure('keeping revisions', error);
      this.#schedule(retryAfterMs);
    }
  }

  async #follow(): Promise<void> {
    const pace = new Pace();
    for (let limit = firstPage; ; ) {
      if (!this.#isRunning) return;
      const page = await this.#changes(limit);
      limit = nextPageSize(page.changes, { pageBytes, maxSize: maxChangesPerPage });
      const kept: SizedVersion[] = [];
      for (const change of page.changes) {
        kept.push(...(await this.#versionsToKeep(change)));
        if (pace.isDue) await pace.rest();
      }
      await this.#keep(kept);
      this.#position = page.upTo;
      if (!page.more) return;
    }
  }

  async #keep(versions: readonly SizedVersion[]): Promise<void> {
    const { revisions } = this.#options.store;
    let some: KeptVersion[] = [];
    let bytes = 0;
    for (const { bytes: size, ...version } of versions) {
      some.push(version);
      bytes += size;
      if (bytes < pageBytes) continue;
      await revisions.keep(some, maxRevisionsPerObject);
      some = [];
      bytes = 0;
    }
    await revisions.keep(some, maxRevisionsPerObject);
  }

  async #changes(limit: number) {
    const { store } = this.#options;
    try {
      return await store.changes({ after: this.#position, limit });
    } catch (error) {
      if (!isError(error, 'Compacted')) throw error;
      // Another process has led meanwhile, and has looked at what was removed.
      this.#position = await store.compactedRevision();
      return store.changes({ after: this.#position, limit });
    }
  }

  /** What of a change outlives history: the version that it replaced, and the last state of what was deleted. */
  async #versionsToKeep(change: Change): Promise<SizedVersion[]> {
    const { key, type, revision, previousRevision } = change;
    const keepMs = await this.#keepMsOf(change);
    if (keepMs === 0) return [];
    const now = this.#options.clock.now().getTime();
    const facts = factsAt(change.value, now);
    const bytes = change.value.bytes.length;
    const previous = previousRevision === undefined ? undefined : await this.#previous(change, previousRevision, now);
    // Metadata may change without an owner of fields, and whole objects go: then the time is that of this look.
    const isNoted = facts.writtenAt !== undefined && facts.writtenAt > (previous?.at ?? 0) && type !== 'deleted';
    const next = { generation: facts.generation, at: isNoted ? (facts.writtenAt ?? now) : now };
    this.#remember(formatKey(key), { ...next, revision, bytes }, type === 'deleted');
    const kept: SizedVersion[] = [];
    const expiresAt = next.at + keepMs;
    if (previous !== undefined && (type === 'deleted' || isWorthKeeping(previous, next)))
      kept.push({ revision: previous.revision, at: previous.at, expiresAt, bytes: previous.bytes });
    if (type === 'deleted') kept.push({ revision, at: next.at, expiresAt, bytes });
    return kept;
  }

  async #keepMsOf({ key: { cluster, resource } }: Change): Promise<number> {
    if (resource.startsWith('internal/')) return 0;
    const kind = (await this.#options.registry.of(cluster)).get(resource)?.kind;
    return kind === undefined ? 0 : revisionMsOf(kind, this.#options.revisionDays);
  }

  async #previous(change: Change, revision: number, now: number): Promise<Remembered | undefined> {
    const remembered = this.#remembered.get(formatKey(change.key));
    if (remembered?.revision === revision) return remembered;
    const stored = await this.#options.store.before(change);
    if (stored === undefined) return undefined;
    const { generation, writtenAt = now } = factsAt(stored.value, now);
    return { revision, generation, at: writtenAt, bytes: stored.value.bytes.length };
  }

  #remember(key: string, version: Remembered, isDeleted: boolean): void {
    this.#remembered.delete(key);
    if (isDeleted) return;
    this.#remembered.set(key, version);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }
}
