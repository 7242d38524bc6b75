import { isError } from '@chandlery/api';
import { type Clock, Pace } from '@chandlery/platform';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import { nextPageSize } from '../feed/next-page-size.ts';
import type { KindRegistry } from '../registry/kind-registry.ts';
import { type Change, type ChangesPage, formatKey, type KeptVersion, type Store } from '../store/store.ts';
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

/** Of a version that cannot be read nothing is kept. */
const noneIfDamaged = (error: unknown): readonly SizedVersion[] => {
  if (isError(error, 'StoreDamaged')) return [];
  throw error;
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

  async #follow(): Promise<void> {
    const pace = new Pace();
    for (let limit = firstPage; ; ) {
      if (!this.#isRunning) return;
      const page = await this.#changes(limit);
      limit = nextPageSize(page.changes, { pageBytes, maxSize: maxChangesPerPage });
      const kept: SizedVersion[] = [];
      for (const change of page.changes) {
        kept.push(...(await this.#versionsToKeep(change).catch(noneIfDamaged)));
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

  /** What of a change outlives history: the version that it replaced, and the last state of what was deleted. */
  async #versionsToKeep(change: Change): Promise<readonly SizedVersion[]> {
    const { key, type, revision, previousRevision } = change;
    const keepMs = await this.#keepMsOf(change);
    if (keepMs === 0) return [];
    const now = this.#options.clock.now().getTime();
    const facts = factsAt(change.value, now);
    const bytes = change.value.bytes.length;
    const previous = previousRevision === undefined ? undefined : await this.#previous(change, previousRevision, now);
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

  async #previous(change: Change, revision: number, now: number): Promise<Remembered | undefined> {
    const remembered = this.#remembered.get(formatKey(change.key));
    if (remembered?.revision === revision) return remembered;
    const stored = await this.#options.store.before(change);
    if (stored === undefined) return undefined;
    const facts = factsAt(stored.value, now);
    return { ...facts, revision, at: facts.writtenAt ?? now, bytes: stored.value.bytes.length };
  }

  #remember(key: string, version: Remembered, isDeleted: boolean): void {
    this.#remembered.delete(key);
    if (isDeleted) return;
    this.#remembered.set(key, version);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }
}
