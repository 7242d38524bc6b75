import type { PostgresStoreOptions } from './postgres/postgres-options.ts';
import { openSqliteStore, type SqliteStoreOptions } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

/** Where the data lives: in a folder of this machine, or in a PostgreSQL server that several replicas share. */
export type StoreOptions =
  | ({ readonly type: 'sqlite' } & SqliteStoreOptions)
  | ({ readonly type: 'postgres' } & PostgresStoreOptions);

/** Opens a store and creates or upgrades its tables. The caller disposes of it. */
export async function openStore(options: StoreOptions): Promise<Store> {
  switch (options.type) {
    case 'sqlite':
      return openSqliteStore(options);
    case 'postgres': {
      // Loaded on demand: most landscapes live without the client of a database server.
      const { openPostgresStore } = await import('./postgres/postgres-store.ts');
      return openPostgresStore(options);
    }
  }
}
