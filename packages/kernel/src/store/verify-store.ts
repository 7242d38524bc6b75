import type { StoreOptions } from './open-store.ts';
import { acceptSqliteFolder, verifySqliteFolder } from './sqlite/integrity/verify-sqlite.ts';
import type { Damage } from './store.ts';

/**
 * Verifies everything that is stored, and changes nothing. A store in a folder must not be open anywhere; one in a
 * PostgreSQL server may be in use.
 */
export async function verifyStore(options: StoreOptions): Promise<readonly Damage[]> {
  switch (options.type) {
    case 'sqlite':
      return verifySqliteFolder(options.folder);
    case 'postgres': {
      const { verifyPostgresStore } = await import('./postgres/verify-postgres.ts');
      return verifyPostgresStore(options);
    }
  }
}

/**
 * Takes a store as it is, because the operator says so: a loss of acknowledged writes is no longer reported, and the pages
 * of a SQLite file get new checksums. Rows keep theirs: a damaged one stays damaged. The store must not be open anywhere.
 */
export async function acceptStore(options: StoreOptions): Promise<void> {
  if (options.type === 'sqlite') await acceptSqliteFolder(options.folder);
}
