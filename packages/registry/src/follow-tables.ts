import { ChandleryError, type KubeObject } from '@chandlery/api';
import { type Logger, silentLogger } from '@chandlery/platform';
import type { CommitDeps } from './commit-deps.ts';
import { type Follower, follow } from './follow.ts';
import type { FollowedTable } from './followed-table.ts';
import type { AnyRow } from './row.ts';
import { definitionOf, idOf, type RowFormat } from './row-format.ts';

/** The tables being filled and kept up to date, until it is disposed of. */
interface FollowedTablesState extends AsyncDisposable {
  /** Resolves when all tables are filled; rejects with `Stopped` when disposed of before. */
  readonly synced: Promise<void>;
}

type Deps = Pick<CommitDeps, 'client' | 'format' | 'tables' | 'rowOf'>;

/** Fills all tables, and keeps them up to date by one watch per kind. */
export function followTables(
  { client, format, tables, rowOf }: Deps,
  { logger = silentLogger, onDamage }: { readonly logger?: Logger; readonly onDamage?: (() => void) | undefined },
): FollowedTablesState {
  const stop = new AbortController();
  const all = Object.entries(tables).map(([name, table]) => ({ name, table, filled: Promise.withResolvers<void>() }));
  const running = all.map(({ name, table, filled }) => {
    const follower = followerOf({ table, format, rowOf, onFilled: () => filled.resolve() });
    const { ref } = definitionOf(format, name).kind;
    return follow({ client, ref, follower, logger, signal: stop.signal, onDamage });
  });
  const synced = Promise.all(all.map(({ filled }) => filled.promise)).then(() => undefined);
  // Without a waiting caller its rejection would be unhandled.
  synced.catch(() => undefined);
  return {
    synced,
    async [Symbol.asyncDispose](): Promise<void> {
      stop.abort();
      await Promise.all(running);
      for (const { filled } of all) filled.reject(new ChandleryError('Stopped', 'the registry was closed'));
    },
  };
}

interface FollowerOptions {
  readonly table: FollowedTable<AnyRow>;
  readonly format: RowFormat;
  readonly rowOf: (object: KubeObject) => AnyRow;
  readonly onFilled: () => void;
}

function followerOf({ table: followed, format, rowOf, onFilled }: FollowerOptions): Follower {
  const { table } = followed;
  const idOfObject = ({ metadata }: KubeObject): string => idOf(format, metadata.name ?? '');
  return {
    get position() {
      return followed.position;
    },
    beginList: () => followed.beginList(),
    endList: revision => {
      table.notify(followed.endList(revision));
      onFilled();
    },
    put: object => {
      if (!followed.passIfKnown(idOfObject(object), revisionOf(object))) table.notify(followed.put(rowOf(object)));
    },
    passIfKnown: (name, revision) => followed.passIfKnown(idOf(format, name), revision),
    remove: object => table.notify(followed.remove(idOfObject(object), revisionOf(object))),
    advance: revision => followed.advance(revision),
  };
}

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);
