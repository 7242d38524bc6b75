import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { runProcess, type TempFolder } from '@chandlery/testing';

const root = join(import.meta.dirname, '../../../..');
const chandlery = join(root, 'apps/cli/bin/chandlery.mjs');

/** What the command says to install in a clone: its own packages, and its Node.js. */
const packages = [
  ...['packages/client', 'packages/runtime', 'packages/sdk', 'apps/cli'].map(path => join(root, path)),
  dirname(dirname(process.execPath)),
];

/**
 * Writes a provider with `chandlery provider new` and installs what it needs, outside of the repository. Its
 * `install.yaml` has absolute folders, so that kubectl can apply it.
 */
export async function scaffoldProvider(folder: TempFolder, name: string): Promise<string> {
  const made = await promisify(execFile)(process.execPath, [chandlery, 'provider', 'new', name], { cwd: folder.path });
  assert.ok(made.stdout.includes(`npm install --no-save ${packages.join(' ')}`), made.stdout);
  const place = folder.join(name);
  const args = ['install', '--no-save', '--no-audit', '--no-fund', ...packages];
  const { code, stderr } = await runProcess('npm', args, { cwd: place, timeoutMs: 120_000 });
  assert.equal(code, 0, stderr);
  const installation = join(place, 'install.yaml');
  const text = await readFile(installation, 'utf8');
  await writeFile(installation, text.replaceAll('folder: .', `folder: ${place}`));
  return place;
}

/** Runs the command in a folder. */
export const runChandlery = (
  cwd: string,
  args: readonly string[],
  timeoutMs = 300_000,
): ReturnType<typeof runProcess> => runProcess(process.execPath, [chandlery, ...args], { cwd, timeoutMs });
