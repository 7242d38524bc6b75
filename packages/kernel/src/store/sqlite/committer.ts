import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { expectationCodes, expectationFailure } from '../expectation.ts';
import {
  headSum,
  objectChecksum,
  objectContentSum,
  textChecksum,
  versionChecksum,
  versionContentSum,
} from '../row-checksum.ts';
import { changeTypes } from '../rows.ts';
import { formatKey, type ObjectKey } from '../store.ts';
import { damagedObject, preconditionFailed, uniqueViolation } from '../store-errors.ts';
import { type MetaRow, metaChecksumSql, verifyMeta } from './meta-row.ts';
import type { UniqueClaims } from './unique-claims.ts';
import { isSameKey, type WireCheck, type WireWrite } from './wire.ts';

interface FoundObject {
  readonly id: number;
  readonly revision: number;
  readonly created_revision: number;
  readonly terms: string;
  readonly unique_keys: string | null;
  readonly expires_at: number | null;
  /** Null before the upgrade. */
  readonly checksum: number | null;
}

type ChangeType = (typeof changeTypes)[number];

interface LogEntry {
  readonly type: ChangeType;
  readonly objectId: number;
  readonly collectionId: number;
  readonly createdRevision: number;
  readonly previousRevision: number | undefined;
}

/** How many checks are remembered: every write has to compare with them. */
const maxHolding = 16;

/** What a commit writes, and what must hold for it. */
export interface CommitToApply {
  readonly writes: readonly WireWrite[];
  /** Those of a group that are the same are one object. */
  readonly checks: readonly WireCheck[];
  /** The bytes of the writes, one after the other. */
  readonly values: Uint8Array;
}

/** Applies commits inside the transaction that its caller holds. Checks come first, so a rejected commit leaves nothing. */
export class Committer {
  readonly #sql: ReturnType<typeof prepare>;
  readonly #claims: UniqueClaims;
  /** Ids are never given out twice, so a remembered one is right until its collection goes. */
  readonly #collectionIds = new Map<string, number>();
  /** Checks that hold, until something writes to what they are about. */
  readonly #holding = new Set<WireCheck>();
  #revision = 0;

  constructor(database: DatabaseSync, claims: UniqueClaims) {
    this.#sql = prepare(database);
    this.#claims = claims;
  }

  /** Runs a group of commits: reads the counter first, writes it last. */
  group<T>(work: () => T): T {
    const before = verifyMeta(this.#sql.readMeta.get() as unknown as MetaRow).revision;
    this.#revision = before;
    this.#holding.clear();
    const result = work();
    if (this.#revision !== before) this.#sql.writeRevision.run(this.#revision);
    return result;
  }

  /** Returns the first revision of the commit's writes. Throws, having changed nothing, when the commit is rejected. */
  commit({ writes, checks, values }: CommitToApply): number {
    const found = isLoneCreation(writes) ? [] : writes.map(write => this.#check(write));
    try {
      for (const check of checks) this.#checkOnce(check);
      this.#checkUnique(writes, found);
    } catch (refusal) {
      // A single creation was not checked yet. That its object exists already is reported first.
      for (const write of writes) this.#check(write);
      throw refusal;
    }
    const first = this.#revision + 1;
    let offset = 0;
    for (const [index, write] of writes.entries()) {
      this.#apply(write, found[index], values.subarray(offset, offset + write.size));
      offset += write.size;
    }
    return first;
  }

  /** The id of a collection, made on first use. */
  collectionId(resource: string, cluster: string): number {
    const known = this.#findCollection(resource, cluster);
    if (known !== undefined) return known;
    const checksum = textChecksum(resource, cluster);
    return Number(this.#sql.insertCollection.run(resource, cluster, checksum).lastInsertRowid);
  }

  /** The revision of the last write, in this group or before it. */
  get revision(): number {
    return this.#revision;
  }

  /** To be called when collections have been removed, also by a rollback. */
  forgetCollections(): void {
    this.#collectionIds.clear();
  }

  #findCollection(resource: string, cluster: string): number | undefined {
    const key = `${resource}|${cluster}`;
    const known = this.#collectionIds.get(key);
    if (known !== undefined) return known;
    const id = this.#sql.findCollection.get(resource, cluster)?.id as number | undefined;
    if (id !== undefined) this.#collectionIds.set(key, id);
    return id;
  }

  #checkOnce(check: WireCheck): void {
    if (this.#holding.has(check)) return;
    this.#check(check);
    if (this.#holding.size >= maxHolding) this.#holding.clear();
    this.#holding.add(check);
  }

  #check(expected: ObjectKey & { readonly expect: number }): FoundObject | undefined {
    const found = this.#find(expected);
    const failure = expectationFailure(expected.expect, found?.revision);
    if (failure !== undefined) throw preconditionFailed(expected, failure);
    return found;
  }

  #find({ resource, cluster, namespace, name }: ObjectKey): FoundObject | undefined {
    const collectionId = this.#findCollection(resource, cluster);
    if (collectionId === undefined) return undefined;
    const found = this.#sql.findObject.get(collectionId, namespace, name) as unknown as FoundObject | undefined;
    // What is found becomes part of what is written, under a new checksum.
    if (found !== undefined) assertSound({ resource, cluster, namespace, name }, found);
    return found;
  }

  /** A holder that this very commit writes either keeps the key for itself or lets it go: a commit claims a key once. */
  #checkUnique(writes: readonly WireWrite[], found: readonly (FoundObject | undefined)[]): void {
    for (const { unique = [] } of writes) {
      for (const text of unique) {
        const holder = this.#claims.holder(text);
        if (holder !== undefined && !found.some(object => object?.id === holder)) throw uniqueViolation(text);
      }
    }
  }

  #apply(write: WireWrite, found: FoundObject | undefined, value: Uint8Array): void {
    for (const check of this.#holding) if (isSameKey(check, write)) this.#holding.delete(check);
    const revision = this.#revision + 1;
    const terms = write.terms ?? found?.terms ?? '[]';
    const head = headSum(write, terms);
    const entry = write.terms === undefined ? this.#remove(write, found) : this.#put(write, found, { revision, head });
    this.#revision = revision;
    const numbers = {
      revision,
      created_revision: entry.createdRevision,
      previous_revision: entry.previousRevision ?? null,
      type: changeTypes.indexOf(entry.type),
      object_id: entry.objectId,
    };
    this.#sql.insertLog.run(
      revision,
      entry.objectId,
      entry.collectionId,
      write.namespace,
      write.name,
      numbers.type,
      entry.createdRevision,
      numbers.previous_revision,
      terms,
      write.splice,
      value,
      versionChecksum(versionContentSum(head, write.splice, value), numbers),
    );
  }

  #put(
    write: WireWrite,
    found: FoundObject | undefined,
    { revision, head }: { readonly revision: number; readonly head: number },
  ): LogEntry {
    const collectionId = this.collectionId(write.resource, write.cluster);
    const terms = write.terms ?? '[]';
    const unique = write.unique === undefined ? null : JSON.stringify(write.unique);
    const expiresAt = write.expiresAt ?? null;
    const createdRevision = found?.created_revision ?? revision;
    const sum = objectContentSum(head, { unique, expiresAt });
    const checksum = objectChecksum(sum, revision, createdRevision);
    let objectId = found?.id;
    if (objectId === undefined) {
      const { namespace, name } = write;
      const { changes, lastInsertRowid } = this.#sql.insertObject.run(
        collectionId,
        namespace,
        name,
        revision,
        revision,
        expiresAt,
        terms,
        unique,
        checksum,
      );
      // Only a single creation has not been checked before, and has changed nothing by now.
      if (changes === 0) throw preconditionFailed(write, 'exists');
      objectId = Number(lastInsertRowid);
    } else {
      this.#sql.updateObject.run(revision, expiresAt, terms, unique, checksum, objectId);
    }
    this.#replaceTerms(objectId, found?.terms ?? '[]', terms);
    this.#claims.replace(objectId, found?.unique_keys ?? null, unique);
    const type = found === undefined ? 'created' : 'updated';
    return { type, objectId, collectionId, createdRevision, previousRevision: found?.revision };
  }

  #remove(write: WireWrite, found: FoundObject | undefined): LogEntry {
    if (found === undefined) throw preconditionFailed(write, 'missing');
    this.#replaceTerms(found.id, found.terms, '[]');
    this.#claims.replace(found.id, found.unique_keys, null);
    this.#sql.deleteObject.run(found.id);
    const collectionId = this.collectionId(write.resource, write.cluster);
    const { created_revision: createdRevision, revision: previousRevision } = found;
    return { type: 'deleted', objectId: found.id, collectionId, createdRevision, previousRevision };
  }

  #replaceTerms(objectId: number, before: string, after: string): void {
    if (before === after) return;
    const old = new Set(JSON.parse(before) as number[]);
    const now = new Set(JSON.parse(after) as number[]);
    for (const term of old.difference(now)) this.#sql.deleteTerm.run(term, objectId);
    for (const term of now.difference(old)) this.#sql.insertTerm.run(term, objectId);
  }
}

/** Throws `StoreDamaged` when an object's row is not what was written. */
function assertSound(key: ObjectKey, found: FoundObject): void {
  if (found.checksum === null) return;
  const { revision, created_revision: created, terms, unique_keys: unique, expires_at: expiresAt } = found;
  const sum = objectChecksum(objectContentSum(headSum(key, terms), { unique, expiresAt }), revision, created);
  if (sum !== found.checksum) throw damagedObject(formatKey(key), 'its row does not match its checksum');
}

/** The most frequent commit: the insertion itself shows whether it is allowed, without a check before it. */
const isLoneCreation = ([first, second]: readonly WireWrite[]): boolean =>
  second === undefined && first?.terms !== undefined && first.expect === expectationCodes.absent;

function prepare(database: DatabaseSync) {
  const sql = (text: string): StatementSync => database.prepare(text);
  return {
    readMeta: sql('SELECT revision, compacted, swept, checksum FROM meta'),
    writeRevision: sql(`UPDATE meta SET revision = ?1, checksum = ${metaChecksumSql('?1')}`),
    findCollection: sql('SELECT id FROM collections WHERE resource = ? AND cluster = ?'),
    insertCollection: sql('INSERT INTO collections (resource, cluster, checksum) VALUES (?, ?, ?)'),
    findObject: sql(`SELECT id, revision, created_revision, terms, unique_keys, expires_at, checksum FROM objects
      WHERE collection_id = ? AND namespace = ? AND name = ?`),
    insertObject: sql(`INSERT INTO objects
      (collection_id, namespace, name, revision, created_revision, expires_at, terms, unique_keys, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`),
    updateObject: sql(
      'UPDATE objects SET revision = ?, expires_at = ?, terms = ?, unique_keys = ?, checksum = ? WHERE id = ?',
    ),
    deleteObject: sql('DELETE FROM objects WHERE id = ?'),
    insertLog: sql('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    insertTerm: sql('INSERT OR IGNORE INTO terms VALUES (?, ?)'),
    deleteTerm: sql('DELETE FROM terms WHERE term = ? AND object_id = ?'),
  };
}
