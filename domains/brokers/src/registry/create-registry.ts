import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { type Clock, type IdSource, type Logger, randomIds, silentLogger, systemClock } from '@chandlery/platform';
import { brokerKinds, idOfName } from '../kinds/index.ts';
import { isEmbedding, showEmbedded } from './embedded-operation.ts';
import { type Follower, follow } from './follow.ts';
import { FollowedTable } from './followed-table.ts';
import type { TermsOf } from './index-map.ts';
import type { Registry, TableName } from './registry.ts';
import { type CommitNeeds, commitToTables } from './registry-commit.ts';
import { createRisingTime } from './rising-time.ts';
import { type AnyRow, rowOf } from './row-of.ts';
import { readSecret } from './secret-writes.ts';
import { StringPool } from './string-pool.ts';
import { MemoryTable, type Mirror } from './table.ts';
import { indexesOf } from './table-indexes.ts';
import { withTransitiveResources } from './transitive-resources.ts';

/** What a registry is made of. */
export interface RegistryOptions {
  /** Of the logical cluster `brokersCluster`. Not disposed of by the registry. */
  readonly client: AtomicClient;
  /** Default: says nothing. */
  readonly logger?: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: random. */
  readonly ids?: IdSource;
  /** Told when a stored row is damaged, so that a table cannot be filled. Default: nobody. */
  readonly onDamage?: (() => void) | undefined;
}

type FollowedTables = Record<TableName, FollowedTable<AnyRow>>;

const tableNames = Object.keys(brokerKinds) as TableName[];

/** Opens the registry, which begins to fill its tables at once. Whoever makes it disposes of it. */
export function createRegistry(options: RegistryOptions): Registry {
  const { client, logger = silentLogger, clock = systemClock, ids = randomIds } = options;
  const tables = createTables(logger);
  const pool = new StringPool();
  const needs: CommitNeeds = {
    underWay: new Set(),
    client,
    tables,
    rowOf: object => rowOf(object, pool),
    now: createRisingTime(clock),
  };
  const following = followAll(needs, options);
  const shown = Object.fromEntries(tableNames.map(name => [name, tables[name].table]));
  return {
    // Each table holds the rows of its own kind alone, which types cannot say of a loop.
    ...(shown as unknown as Pick<Registry, TableName>),
    synced: following.synced,
    commit: writes => commitToTables(needs, withTransitiveResources(writes)),
    readSecret: (tenant, name) => readSecret(client, tenant, name),
    newId: () => ids.uuid(),
    now: needs.now,
    [Symbol.asyncDispose]: () => following[Symbol.asyncDispose](),
  };
}

function createTables(logger: Logger): FollowedTables {
  const create = (name: TableName, mirror?: Mirror<AnyRow>): FollowedTable<AnyRow> => {
    const indexes = indexesOf(name) as unknown as Readonly<Record<string, TermsOf<AnyRow>>>;
    return new FollowedTable(new MemoryTable({ indexes, logger, ...(mirror && { mirror }) }));
  };
  const operations = create('operations');
  const tableOf = (name: TableName): FollowedTable<AnyRow> => {
    if (name === 'operations') return operations;
    return isEmbedding(name) ? create(name, change => showEmbedded(operations.table, name, change)) : create(name);
  };
  return Object.fromEntries(tableNames.map(name => [name, tableOf(name)])) as FollowedTables;
}

/** Keeps all tables up to date. */
function followAll(
  { client, tables, rowOf: read }: CommitNeeds,
  { logger = silentLogger, onDamage }: Pick<RegistryOptions, 'logger' | 'onDamage'>,
) {
  const stop = new AbortController();
  const filled = tableNames.map(() => Promise.withResolvers<void>());
  const running = tableNames.map((name, index) => {
    const follower = followerOf(tables[name], read, () => filled[index]?.resolve());
    return follow({ client, ref: brokerKinds[name].ref, follower, logger, signal: stop.signal, onDamage });
  });
  const synced = Promise.all(filled.map(({ promise }) => promise)).then(() => undefined);
  // Nobody needs to wait for it, and then nobody handles its rejection.
  synced.catch(() => undefined);
  return {
    synced,
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await Promise.all(running);
      for (const { reject } of filled) reject(new ChandleryError('Stopped', 'the registry was closed'));
    },
  };
}

function followerOf(
  followed: FollowedTable<AnyRow>,
  read: (object: KubeObject) => AnyRow,
  onFilled: () => void,
): Follower {
  const { table } = followed;
  return {
    get position() {
      return followed.position;
    },
    beginList: () => followed.beginList(),
    endList: revision => {
      table.tell(followed.endList(revision));
      onFilled();
    },
    put: object => {
      if (!followed.passIfKnown(idOf(object), revisionOf(object))) table.tell(followed.put(read(object)));
    },
    passIfKnown: (name, revision) => followed.passIfKnown(idOfName(name), revision),
    remove: object => table.tell(followed.remove(idOf(object), revisionOf(object))),
    advance: revision => followed.advance(revision),
  };
}

const idOf = ({ metadata }: KubeObject): string => idOfName(metadata.name ?? '');

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);
