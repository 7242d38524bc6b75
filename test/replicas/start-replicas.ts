import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import {
  eventually,
  type Postgres,
  startPostgres,
  startTestLandscape,
  type TempFolder,
  type TestLandscape,
  type TestLandscapeOptions,
  tempFolder,
} from '@chandlery/testing';

/** Server processes on one database, each with a data folder of its own and the same keys. */
export interface Replicas extends AsyncDisposable {
  readonly postgres: Postgres;
  /** In the order of their start: the first one leads, unless the machine is so slow that it cannot renew its lease. */
  readonly all: readonly TestLandscape[];
  /** For data folders of more replicas. */
  readonly folder: TempFolder;
}

/** Starts a database and replicas on it, which share the options. */
export async function startReplicas(count: number, options: Pick<TestLandscapeOptions, 'env'> = {}): Promise<Replicas> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder('chandlery-replicas-'));
  const postgres = stack.use(await startPostgres());
  const start = async (no: number): Promise<TestLandscape> => {
    const dataDir = folder.join(`replica-${no}`);
    if (no > 0) await cp(folder.join('replica-0', 'keys'), join(dataDir, 'keys'), { recursive: true });
    return stack.use(await startTestLandscape({ ...options, dataDir, database: postgres.url }));
  };
  // One after the other: the first makes the keys.
  const all = [await start(0)];
  for (let no = 1; no < count; no++) all.push(await start(no));
  const owned = stack.move();
  return { postgres, all, folder, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

interface ReportedReplica {
  readonly spec: { readonly url: string; readonly isLeader: boolean };
}

/** The replica that runs the controllers, as they report themselves, and another one. */
export async function leaderAmong(
  all: readonly TestLandscape[],
): Promise<{ leader: TestLandscape; other: TestLandscape }> {
  const path = '/clusters/platform/apis/core.chandlery.io/v1alpha1/landscapereplicas';
  const findLeader = async (): Promise<TestLandscape | undefined> => {
    const { items } = (await all[0]?.request(path))?.json<{ items: ReportedReplica[] }>() ?? { items: [] };
    const leaders = items.filter(({ spec }) => spec.isLeader);
    return leaders.length === 1 ? all.find(({ url }) => url === leaders[0]?.spec.url) : undefined;
  };
  const leader = await eventually(findLeader, { what: 'one leader', timeoutMs: 60_000 });
  const other = all.find(each => each !== leader);
  if (other === undefined) throw new TypeError('there is one replica only');
  return { leader, other };
}
