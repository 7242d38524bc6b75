import type { KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import type { FollowedTable } from './followed-table.ts';
import type { AnyRow } from './row.ts';
import type { RowFormat } from './row-format.ts';
import type { SecretOwnership } from './secret-writes.ts';

/** What a commit works on. */
export interface CommitDeps {
  readonly client: AtomicClient;
  readonly format: RowFormat;
  readonly secrets: SecretOwnership;
  readonly tables: FollowedTables;
  readonly rowOf: (object: KubeObject) => AnyRow;
  readonly now: () => string;
  /** Commits whose results the tables do not show yet. */
  readonly inFlight: Set<Promise<unknown>>;
}

/** The tables of a registry, by name. */
export type FollowedTables = Readonly<Record<string, FollowedTable<AnyRow>>>;

/** Returns a table by its name. */
export function tableOf({ tables }: Pick<CommitDeps, 'tables'>, name: string): FollowedTable<AnyRow> {
  const table = tables[name];
  if (table === undefined) throw new TypeError(`there is no table "${name}"`);
  return table;
}
