import { ChandleryError } from '@chandlery/api';
import type { Damage, StoreObserver } from '../store.ts';
import type { DatabaseOptions } from './database.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. Session pooling only: LISTEN and prepared statements are used. */
  readonly url: string;
  /** The schema that holds the tables. Default `chandlery`. */
  readonly schema?: string;
  /** No statement takes longer than this. Default 10 000. */
  readonly timeoutMs?: number;
  /** Called for each newly found damage of the stored data. Default: damage is not reported. */
  readonly onDamage?: (damage: Damage) => void;
  /** Default: commits are not measured. */
  readonly observer?: StoreObserver;
}

/** Fills in the defaults. Throws `BadRequest` for a schema that cannot be. */
export function databaseOptions(options: PostgresStoreOptions): DatabaseOptions {
  const { url, schema = 'chandlery', timeoutMs = 10_000 } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new ChandleryError(
      'BadRequest',
      `"${schema}" cannot be the name of a schema: use small letters, digits and _`,
    );
  }
  return { url, schema, timeoutMs };
}
