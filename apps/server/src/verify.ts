import { acceptStore, type Damage, type StoreOptions, verifyStore } from '@chandlery/kernel';
import { lockFolder } from '@chandlery/platform';

export interface VerifyRequest {
  readonly dataDir: string;
  /** Default: SQLite in the data folder. */
  readonly database?: string;
  /** Whether to take the store as it is afterwards: see `acceptStore`. Default false. */
  readonly accept?: boolean;
}

/** Verifies all stored data. That of a data folder belongs to this process meanwhile; a PostgreSQL server may be in use. */
export async function verify({ dataDir, database, accept = false }: VerifyRequest): Promise<readonly Damage[]> {
  if (database !== undefined) return verifyStore({ type: 'postgres', url: database });
  using _lock = lockFolder(dataDir);
  const options: StoreOptions = { type: 'sqlite', folder: dataDir };
  const damage = await verifyStore(options);
  if (accept) await acceptStore(options);
  return damage;
}
