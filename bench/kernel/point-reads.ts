import type { BenchContext } from './context.ts';
import type { Row, Section } from './report.ts';
import { kilobyte, type StoreSubject } from './store-subject.ts';
import { describeCores, measureTurn, takeTurns } from './throughput.ts';
import { withSubjects } from './with-subjects.ts';

const stored = 2000;

/** Reads of one object by its key. */
export async function measurePointReads(context: BenchContext): Promise<Section> {
  const { readers, rounds, turnMs } = context.options.sizes;
  const rows = await withSubjects(context, 'reads', async subjects => {
    for (const subject of subjects) await fill(subject);
    const all: Row[] = [];
    for (const count of readers) {
      const turns = await takeTurns(subjects, rounds, subject =>
        measureTurn(subject, count, turnMs, () => subject.get(randomName())),
      );
      const etcd = turns.get('etcd')?.perSecond;
      for (const name of ['sqlite', 'postgres'] as const) {
        const ours = turns.get(name)?.perSecond;
        const what = `${count === 1 ? '1 reader' : `${count} readers`}, ${name}`;
        const note = name === 'sqlite' ? { note: describeCores(turns) } : {};
        if (ours !== undefined) all.push({ what, unit: 'reads/s', ours, ...(etcd && { etcd }), ...note });
      }
    }
    return all;
  });
  return { title: 'Point reads, store level', rows };
}

const randomName = (): string => `item-${Math.floor(Math.random() * stored)}`;

async function fill(subject: StoreSubject): Promise<void> {
  for (let start = 0; start < stored; start += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, index) => subject.put(`item-${start + index}`, kilobyte)));
  }
}
