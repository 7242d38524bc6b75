import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { normaliseTerms } from '../commit-rules.ts';
import { headSum, objectChecksum, objectContentSum, versionChecksum, versionContentSum } from '../row-checksum.ts';
import { changeTypes } from '../rows.ts';
import type { SnapshotObject } from '../store.ts';
import { notEmpty } from '../store-errors.ts';
import type { Committer } from './committer.ts';
import { metaChecksumSql } from './meta-row.ts';

/** Fills an empty database from a snapshot. Runs inside its caller's transaction. */
export class Loader {
  readonly #database: DatabaseSync;
  readonly #committer: Committer;
  readonly #insertObject: StatementSync;
  readonly #insertLog: StatementSync;
  readonly #insertTerm: StatementSync;

  constructor(database: DatabaseSync, committer: Committer) {
    if (Number(database.prepare('SELECT revision FROM meta').get()?.revision) > 0) throw notEmpty();
    this.#database = database;
    this.#committer = committer;
    this.#insertObject = database.prepare('INSERT INTO objects VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#insertLog = database.prepare('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?)');
    this.#insertTerm = database.prepare('INSERT INTO terms VALUES (?, ?)');
  }

  add({ key, revision, createdRevision, value, terms: anyTerms, unique, expiresAt }: SnapshotObject): void {
    const collectionId = this.#committer.collectionId(key.resource, key.cluster);
    const terms = normaliseTerms(anyTerms);
    const termsText = JSON.stringify(terms);
    const uniqueText = unique.length === 0 ? null : JSON.stringify(unique);
    const { namespace, name } = key;
    const head = headSum(key, termsText);
    const details = { unique: uniqueText, expiresAt: expiresAt ?? null };
    const inserted = this.#insertObject.run(
      ...[collectionId, namespace, name, revision, createdRevision, details.expiresAt, termsText, uniqueText],
      objectChecksum(objectContentSum(head, details), revision, createdRevision),
    );
    const objectId = Number(inserted.lastInsertRowid);
    const type = changeTypes.indexOf(revision === createdRevision ? 'created' : 'updated');
    const numbers = {
      ...{ revision, created_revision: createdRevision, previous_revision: null },
      ...{ type, object_id: objectId },
    };
    this.#insertLog.run(
      ...[
        revision,
        objectId,
        collectionId,
        namespace,
        name,
        type,
        createdRevision,
        termsText,
        value.splice,
        value.bytes,
      ],
      versionChecksum(versionContentSum(head, value.splice, value.bytes), numbers),
    );
    for (const term of terms) this.#insertTerm.run(term, objectId);
  }

  /** History before the snapshot is not in it, so it counts as forgotten. */
  finish(revision: number): void {
    this.#database.prepare('UPDATE meta SET revision = ?, compacted = ?, swept = ?').run(revision, revision, revision);
    this.#database.exec(`UPDATE meta SET checksum = ${metaChecksumSql()}`);
  }
}
