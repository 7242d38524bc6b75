import { isError } from '@chandlery/api';
import { type Clock, Pace } from '@chandlery/platform';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { nextPageSize } from '../feed/next-page-size.ts';
import type { KindRegistry } from '../registry/kind-registry.ts';
import {
  type Change,
  type ChangesPage,
  formatKey,
  type KeptVersion,
  type Store,
  type StoredObject,
} from '../store/store.ts';
import {
  isWorthKeeping,
  keptRevisionBytes,
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
const readAtATime = 50;
const trimBatch = 500;
/** The first page is short, as its size is unknown. */
const firstPage = 32;
/** Versions whose facts are remembered, so that what replaces them soon needs no read. */
const maxRemembered = 10_000;

/** The latest version of an object as the keeper saw it. */
interface Remembered extends TimedVersion, Pick<VersionFacts, 'writtenAt'> {
  readonly revision: number;
  readonly bytes: number;
}

interface SizedVersion extends KeptVersion {
  readonly bytes: number;
}

/** Clients write the times of owners, too: nothing was written in the future. */
function factsAt(value: Change['value'], now: number): VersionFacts {
  const { writtenAt, ...facts } = readVersionFacts(value);
  return { ...facts, writtenAt: writtenAt === undefined ? undefined : Math.min(writtenAt, now) };
}

interface ChangeFacts {
  readonly facts: VersionFacts;
  readonly previous: Remembered | undefined;
  readonly now: number;
}

interface ReadChange {
  readonly change: Change;
  readonly keepMs: number;
  /** Undefined: it is remembered, or there was none. */
  readonly before: StoredObject | undefined;
}

/** Of what cannot be read nothing is kept. */
const undefinedIfDamaged = (error: unknown): undefined => {
  if (!isError(error, 'StoreDamaged')) throw error;
};

/**
 * Follows history in the process that leads maintenance and copies the versions that are worth keeping, a second after
 * they are superseded. Writers do not wait for it; compaction does, so that nothing is forgotten before it was looked at.
 */
export class RevisionKeeper {
  readonly #options: RevisionKeeperOptions;
  readonly #remembered = new Map<string, Remembered>();
  #position = 0;
  /** The last revision before this process began to lead. */
  #revisionAtStart = 0;
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
    this.#revisionAtStart = await store.currentRevision();
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
    const bounds = { nowMs: clock.now().getTime(), maxBytes: maxRevisionBytes, keptBytes: keptRevisionBytes };
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

  /** As far as history goes now: others write on, and compaction waits for the end. */
  async #follow(): Promise<void> {
    const end = await this.#options.store.currentRevision();
    const pace = new Pace();
    for (let limit = firstPage; ; ) {
      if (!this.#isRunning) return;
      const page = await this.#changes(limit);
      limit = nextPageSize(page.changes, { pageBytes, maxSize: maxChangesPerPage });
      const kept: SizedVersion[] = [];
      for (let start = 0; start < page.changes.length; start += readAtATime) {
        for (const change of await this.#read(page.changes.slice(start, start + readAtATime)))
          kept.push(...this.#versionsToKeep(change));
        if (pace.isDue) await pace.rest();
      }
      await this.#keep(kept);
      this.#position = page.upTo;
      if (!page.more || page.upTo >= end) return;
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

  async #changes(limit: number): Promise<ChangesPage> {
    const { store } = this.#options;
    try {
      return await store.changes({ after: this.#position, limit });
    } catch (error) {
      if (isError(error, 'StoreDamaged')) return this.#nextChange();
      if (!isError(error, 'Compacted')) throw error;
      // Another process has led meanwhile, and has looked at what was removed.
      this.#position = await store.compactedRevision();
      return store.changes({ after: this.#position, limit });
    }
  }

  /** The next change alone; none when it is damaged, which the store reports: history must be compacted all the same. */
  async #nextChange(): Promise<ChangesPage> {
    const after = this.#position;
    try {
      return await this.#options.store.changes({ after, limit: 1 });
    } catch (error) {
      if (!isError(error, 'StoreDamaged')) throw error;
      return { changes: [], upTo: after + 1, more: true };
    }
  }

  /** The changes of which anything may be kept, with what they replaced, read together: one by one takes too long. */
  async #read(changes: readonly Change[]): Promise<readonly ReadChange[]> {
    const together = new Set(changes.map(({ revision }) => revision));
    const read = await Promise.all(changes.map(change => this.#readOne(change, together).catch(undefinedIfDamaged)));
    return read.filter(found => found !== undefined);
  }

  async #readOne(change: Change, together: ReadonlySet<number>): Promise<ReadChange | undefined> {
    const { key, previousRevision = 0 } = change;
    const keepMs = await this.#keepMsOf(change);
    if (keepMs === 0) return undefined;
    const isKnown =
      together.has(previousRevision) || this.#remembered.get(formatKey(key))?.revision === previousRevision;
    return { change, keepMs, before: isKnown ? undefined : await this.#options.store.before(change) };
  }

  /** What of a change outlives history: the version that it replaced, and the last state of what was deleted. */
  #versionsToKeep({ change, keepMs, before }: ReadChange): readonly SizedVersion[] {
    const { key, type, revision } = change;
    const now = this.#options.clock.now().getTime();
    const facts = factsAt(change.value, now);
    const bytes = change.value.bytes.length;
    const previous = this.#previous(change, before, now);
    const next = { ...facts, at: this.#timeOf(change, { facts, previous, now }) };
    this.#remember(formatKey(key), { ...next, revision, bytes }, type === 'deleted');
    const kept: SizedVersion[] = [];
    // Not after the time that owners note, which clients write.
    const expiresAt = now + keepMs;
    if (previous !== undefined && (type === 'deleted' || isWorthKeeping(previous, next)))
      kept.push({ revision: previous.revision, at: previous.at, expiresAt, bytes: previous.bytes });
    if (type === 'deleted') kept.push({ revision, at: next.at, expiresAt, bytes });
    return kept;
  }

  /**
   * When a change was made. Owners of fields note it, to the second; a second write within that, a deletion and a change of
   * metadata that no owner notes have the time of this look, unless they are older than this process' term.
   */
  #timeOf({ type, revision }: Change, { facts: { writtenAt }, previous, now }: ChangeFacts): number {
    if (type === 'deleted') return now;
    if (writtenAt !== undefined && writtenAt > (previous?.writtenAt ?? 0)) return writtenAt;
    return revision > this.#revisionAtStart ? now : (previous?.at ?? now);
  }

  async #keepMsOf({ key: { cluster, resource } }: Change): Promise<number> {
    if (resource.startsWith('internal/')) return 0;
    const kind = (await this.#options.registry.of(cluster)).get(resource)?.kind;
    return kind === undefined ? 0 : revisionMsOf(kind, this.#options.revisionDays);
  }

  #previous({ key, previousRevision }: Change, before: StoredObject | undefined, now: number): Remembered | undefined {
    const remembered = this.#remembered.get(formatKey(key));
    if (remembered !== undefined && remembered.revision === previousRevision) return remembered;
    if (before === undefined) return undefined;
    const facts = factsAt(before.value, now);
    return { ...facts, revision: before.revision, at: facts.writtenAt ?? now, bytes: before.value.bytes.length };
  }

  #remember(key: string, version: Remembered, isDeleted: boolean): void {
    this.#remembered.delete(key);
    if (isDeleted) return;
    this.#remembered.set(key, version);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }
}
