import { toObject, type VersionRow } from '../rows.ts';
import type { ObjectKey, StoredObject } from '../store.ts';
import type { Database } from './database.ts';
import * as statements from './read-statements.ts';

interface Waiting {
  readonly key: ObjectKey;
  readonly resolve: (object: StoredObject | undefined) => void;
  readonly reject: (failure: unknown) => void;
}

interface GetRow extends Omit<VersionRow, keyof ObjectKey> {
  readonly no: number;
}

const maxBatch = 200;

/** Reads single objects; those asked for in one turn of the event loop share a round trip. */
export class GetBatcher {
  readonly #database: Database;
  #waiting: Waiting[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  get({ cluster, resource, namespace, name }: ObjectKey): Promise<StoredObject | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key: { cluster, resource, namespace, name }, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
      if (this.#waiting.length === maxBatch) this.#flush();
    });
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length > 0) void this.#read(batch);
  }

  async #read(batch: readonly Waiting[]): Promise<void> {
    try {
      const keys = batch.map(({ key }) => key);
      const columns = [
        keys.map(k => k.resource),
        keys.map(k => k.cluster),
        keys.map(k => k.namespace),
        keys.map(k => k.name),
      ];
      const rows = await this.#database.read<GetRow>(statements.getObjects, columns);
      const byNo = new Map(rows.map(row => [row.no, row]));
      for (const [index, waiting] of batch.entries()) settle(waiting, byNo.get(index + 1));
    } catch (failure) {
      for (const { reject } of batch) reject(failure);
    }
  }
}

/** An object that is damaged fails alone. */
function settle({ key, resolve, reject }: Waiting, row: GetRow | undefined): void {
  try {
    resolve(row && toObject({ ...row, ...key }));
  } catch (failure) {
    reject(failure);
  }
}
