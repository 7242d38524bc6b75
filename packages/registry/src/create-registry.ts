import type { AtomicClient } from '@chandlery/client';
import { type Clock, type IdSource, type Logger, randomIds, silentLogger, systemClock } from '@chandlery/platform';
import { type CommitDeps, type FollowedTables, tableOf } from './commit-deps.ts';
import { followTables } from './follow-tables.ts';
import { FollowedTable } from './followed-table.ts';
import type { TermsOf } from './index-map.ts';
import { MemoryTable } from './memory-table.ts';
import type { IndexNamesOf, Registry, RowsOf, TableDefinitions, TablesOf } from './registry.ts';
import { commitToTables } from './registry-commit.ts';
import { createRisingTime } from './rising-time.ts';
import type { AnyRow } from './row.ts';
import type { RowFormat } from './row-format.ts';
import { rowOf } from './row-of.ts';
import type { AnyWrite, RegistryWrite } from './row-writes.ts';
import { readSecret, type SecretOwnership } from './secret-writes.ts';
import { StringPool } from './string-pool.ts';
import type { AnyTableDefinition } from './table-definition.ts';

/** How a registry is made. */
export interface RegistryOptions<Definitions extends TableDefinitions> extends RowFormat, SecretOwnership {
  /** A client of the logical cluster that has the objects. The registry does not dispose of it. */
  readonly client: AtomicClient;
  readonly tables: Definitions;
  /** Fields of specs and statuses, at any depth, whose values many rows share: each value is kept in memory once. Default none. */
  readonly sharedFields?: Iterable<string>;
  /** Changes the writes of every commit before they are written. Default: they are written as they are. */
  readonly beforeCommit?: (
    writes: readonly RegistryWrite<RowsOf<Definitions>>[],
  ) => readonly RegistryWrite<RowsOf<Definitions>>[];
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: random. */
  readonly ids?: IdSource;
  /** Called when a stored object is damaged, so that a table cannot be filled. Default: nothing is called. */
  readonly onDamage?: (() => void) | undefined;
}

type RegistryTables<Definitions extends TableDefinitions> = TablesOf<RowsOf<Definitions>, IndexNamesOf<Definitions>>;

/** Opens a registry, which begins to fill its tables at once. The caller disposes of it. */
export function createRegistry<Definitions extends TableDefinitions>(
  options: RegistryOptions<Definitions>,
): Registry<Definitions> {
  const { client, ids = randomIds, beforeCommit = writes => writes } = options;
  const deps = createDeps(options);
  const following = followTables(deps, options);
  return {
    ...tablesOf<Definitions>(deps),
    synced: following.synced,
    // Tables and rows were checked against each other where the writes were made.
    commit: writes => commitToTables(deps, beforeCommit(writes) as readonly AnyWrite[]),
    readSecret: (tenant, name) => readSecret(client, tenant, name),
    newId: () => ids.uuid(),
    now: deps.now,
    [Symbol.asyncDispose]: () => following[Symbol.asyncDispose](),
  };
}

function createDeps(options: Omit<RegistryOptions<TableDefinitions>, 'beforeCommit'>): CommitDeps {
  const { client, logger = silentLogger, clock = systemClock, sharedFields } = options;
  const pool = new StringPool(sharedFields);
  return {
    client,
    format: options,
    secrets: options,
    tables: createTables(options.tables, logger),
    rowOf: object => rowOf(object, options, pool),
    now: createRisingTime(clock),
    inFlight: new Set(),
  };
}

function createTables(definitions: TableDefinitions, logger: Logger): FollowedTables {
  const create = ({ indexes, mirror }: AnyTableDefinition): FollowedTable<AnyRow> => {
    // Each table has only rows of its own kind, of which its indexes can be computed.
    const termsOf = indexes as unknown as Readonly<Record<string, TermsOf<AnyRow>>>;
    if (mirror === undefined) return new FollowedTable(new MemoryTable({ indexes: termsOf, logger }));
    const { into, show } = mirror;
    const table = new MemoryTable<AnyRow>({
      indexes: termsOf,
      logger,
      mirror: change => show(tableOf({ tables }, into).table, change),
    });
    return new FollowedTable(table);
  };
  const entries = Object.entries(definitions).map(([name, definition]) => [name, create(definition)] as const);
  const tables: FollowedTables = Object.fromEntries(entries);
  return tables;
}

/** Returns the tables as callers see them. */
function tablesOf<Definitions extends TableDefinitions>({ tables }: CommitDeps): RegistryTables<Definitions> {
  const entries = Object.entries(tables).map(([name, { table }]) => [name, table] as const);
  // Each table has only rows of its own kind, which types cannot say of a loop.
  return Object.fromEntries(entries) as unknown as RegistryTables<Definitions>;
}
