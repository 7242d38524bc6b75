import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runProcess, type TempFolder } from '@chandlery/testing';

const chandlery = join(import.meta.dirname, '../../../../apps/cli/bin/chandlery.mjs');

/** Writes a provider with `chandlery provider new` and installs what it needs, outside of the repository. */
export async function scaffoldProvider(folder: TempFolder, name: string): Promise<string> {
  await promisify(execFile)(process.execPath, [chandlery, 'provider', 'new', name], { cwd: folder.path });
  const place = folder.join(name);
  await runProcess('npm', ['install', '--no-audit', '--no-fund'], { cwd: place, timeoutMs: 120_000 });
  return place;
}

/** Runs the command in a folder. */
export const runChandlery = (
  cwd: string,
  args: readonly string[],
  timeoutMs = 300_000,
): ReturnType<typeof runProcess> => runProcess(process.execPath, [chandlery, ...args], { cwd, timeoutMs });
