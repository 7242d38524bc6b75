import type { BenchContext } from './context.ts';
import type { Aim, Row, Section } from './report.ts';
import { kilobyte, type StoreSubject } from './store-subject.ts';
import { describeCores, measureTurn, type Turn, takeTurns } from './throughput.ts';
import { withSubjects } from './with-subjects.ts';

/** From so many writers on we want to be faster than etcd by the factor. */
const aim = { writers: 64, factor: 1.5 };

/** Durable writes per second: each its own put of 1 KB, acknowledged after it is synced. */
export async function measureDurableWrites(context: BenchContext): Promise<Section> {
  const { sizes } = context.options;
  const rows = await withSubjects(context, 'writes', async subjects => {
    const write = writerOfNewKeys();
    for (const subject of subjects) await write(subject, 16, sizes.turnMs / 2);
    const all: Row[] = [];
    for (const writers of sizes.writers) {
      const turns = await takeTurns(subjects, sizes.rounds, subject => write(subject, writers, sizes.turnMs));
      all.push(...rowsOf(turns, writers));
    }
    return all;
  });
  return {
    title: 'Durable writes, store level (1 KB each, fsync on)',
    rows,
    remarks: [
      'ours runs in this process; etcd in its own, behind gRPC and its Node client, which is how a Node program uses it',
      'where the client of etcd uses a whole core, etcd itself could do more than this shows',
    ],
  };
}

type Write = (subject: StoreSubject, writers: number, durationMs: number) => Promise<Turn>;

function writerOfNewKeys(): Write {
  let next = 0;
  return (subject, writers, durationMs) =>
    measureTurn(subject, writers, durationMs, () => subject.put(`item-${next++}`, kilobyte));
}

function rowsOf(turns: ReadonlyMap<StoreSubject['name'], Turn>, writers: number): Row[] {
  const etcd = turns.get('etcd')?.perSecond;
  const what = writers === 1 ? '1 writer' : `${writers} writers`;
  return (['sqlite', 'postgres'] as const).flatMap((name): Row[] => {
    const turn = turns.get(name);
    if (turn === undefined) return [];
    const row = { what: `${what}, ${name}`, unit: 'writes/s', ours: turn.perSecond, ...(etcd && { etcd }) };
    if (name === 'postgres') return [row];
    return [{ ...row, ...aimOf(writers, turn.perSecond, etcd), note: describeCores(turns) }];
  });
}

function aimOf(writers: number, ours: number, etcd: number | undefined): { aim?: Aim } {
  if (writers < aim.writers || etcd === undefined) return {};
  return { aim: { text: `≥ ${aim.factor} × etcd`, isMet: ours >= aim.factor * etcd } };
}
