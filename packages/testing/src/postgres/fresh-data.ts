import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './server-account.ts';

const run = promisify(execFile);

export interface FreshDataOptions {
  /** The folder that holds `initdb` and `postgres`. */
  readonly binaries: string;
  /** The flags of `initdb`, but for the folder. */
  readonly flags: readonly string[];
  /** Who owns the data. */
  readonly account: Account | undefined;
  /** Where it goes: a folder inside one that the account may write to. */
  readonly target: string;
  /** Where copies are kept. Default: beside everything else that tests keep between runs. */
  readonly cacheFolder?: string;
}

/**
 * Puts the data of a new server into a folder. The first time `initdb` makes it, which takes longer than all else about
 * a server; a copy is kept for all that come later, in this process and in others.
 */
export async function makeFreshData(options: FreshDataOptions): Promise<void> {
  const { binaries, flags, account, target } = options;
  const kept = await placeOf(options);
  if (await isThere(kept)) {
    await copy(kept, target);
    return;
  }
  await run(join(binaries, 'initdb'), ['-D', target, ...flags], { ...account, cwd: join(target, '..') });
  await keep(target, kept);
}

/** Another version, other flags or another owner make other data. */
async function placeOf({ binaries, flags, account, cacheFolder = defaultCache }: FreshDataOptions): Promise<string> {
  const { stdout: version } = await run(join(binaries, 'postgres'), ['--version'], { ...account });
  const hash = createHash('sha256').update(JSON.stringify([version, flags, account?.uid ?? process.getuid?.()]));
  return join(cacheFolder, `postgres-data-${hash.digest('hex').slice(0, 16)}`);
}

const defaultCache = join(import.meta.dirname, '../../../../.cache');

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** With owners and rights, which Node.js would not copy. */
const copy = (from: string, to: string): Promise<unknown> => run('cp', ['-Rp', from, to]);

/** Any number of processes may do so at once: each makes its own copy, and the first that is done puts it in place. */
async function keep(data: string, place: string): Promise<void> {
  const draft = `${place}.${randomUUID()}`;
  await mkdir(join(place, '..'), { recursive: true });
  await copy(data, draft);
  await rename(draft, place).catch(() => rm(draft, { recursive: true, force: true }));
}
