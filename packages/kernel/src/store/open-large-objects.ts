import type { LargeObjects } from './postgres/large-objects.ts';
import type { PostgresStoreOptions } from './postgres/postgres-options.ts';

/** Opens the large objects of a PostgreSQL store that has been opened. The caller disposes of them. */
export async function openLargeObjects(options: Pick<PostgresStoreOptions, 'url' | 'schema'>): Promise<LargeObjects> {
  // Loaded on demand, as the store is.
  const { LargeObjects } = await import('./postgres/large-objects.ts');
  return LargeObjects.open(options);
}
