import { join } from 'node:path';
import { toError } from '@chandlery/api';
import type { BenchContext } from './context.ts';
import { openEtcdSubject } from './etcd-subject.ts';
import { openPostgresSubject, openSqliteSubject } from './our-store.ts';
import type { StoreSubject } from './store-subject.ts';

/** Opens fresh stores, runs something on them and closes them again. PostgreSQL is left out where it cannot run. */
export async function withSubjects<T>(
  { options, folder, say }: BenchContext,
  name: string,
  work: (subjects: readonly StoreSubject[]) => Promise<T>,
): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const subjects = [stack.use(await openSqliteSubject(join(folder, `${name}-sqlite`)))];
  if (options.withEtcd) subjects.push(stack.use(await openEtcdSubject(join(folder, `${name}-etcd`))));
  // A fresh PostgreSQL takes seconds to make, three times in a run.
  if (options.isQuick) return await work(subjects);
  try {
    subjects.push(stack.use(await openPostgresSubject()));
  } catch (error) {
    say(`PostgreSQL is left out: ${toError(error).message}`);
  }
  return await work(subjects);
}
