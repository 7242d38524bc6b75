import { join } from 'node:path';
import { toError } from '@chandlery/api';
import type { BenchContext } from './context.ts';
import { measureSyncMs } from './disk-sync.ts';
import { startOnPostgres, startOnSqlite } from './our-subjects.ts';
import { startBareProxy, startBroker, startNginx } from './peers.ts';
import type { Subject } from './subject.ts';

/** All ways to the broker, ready for load; what had to be left out is said in a remark. */
export interface Subjects extends AsyncDisposable {
  readonly all: readonly Subject[];
  readonly remarks: readonly string[];
  /** What a small durable write takes on this machine's disk. */
  readonly syncMs: number;
}

/** Starts the broker and everything that can stand before it on this machine. */
export async function startSubjects(context: BenchContext): Promise<Subjects> {
  const { options, folder, say } = context;
  const { connections } = options.sizes;
  const remarks: string[] = [];
  const leaveOut = (remark: string): void => {
    remarks.push(remark);
    say(remark);
  };
  await using stack = new AsyncDisposableStack();
  const { url, subject } = await startBroker(stack);
  const all = [subject, await startBareProxy(stack, url, connections)];
  const nginx = options.withNginx
    ? await startNginx(stack, url, { folder: join(folder, 'nginx'), connections })
    : undefined;
  if (nginx !== undefined) all.push(nginx);
  else leaveOut(options.withNginx ? 'nginx is left out: it is not installed' : 'nginx is left out, as asked');
  all.push(await startOnSqlite(stack, url, context));
  if (options.withPostgres && !options.isQuick) {
    try {
      all.push(...(await startOnPostgres(stack, url, context)));
    } catch (error) {
      leaveOut(`PostgreSQL is left out: ${toError(error).message}`);
    }
  } else leaveOut(options.isQuick ? 'PostgreSQL is left out of quick runs' : 'PostgreSQL is left out, as asked');
  const syncMs = await measureSyncMs(folder);
  const owned = stack.move();
  return { all, remarks, syncMs, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
