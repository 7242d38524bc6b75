import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type RunningProcess, runProcess, startProcess } from '@chandlery/testing';

const root = join(import.meta.dirname, '../../..');

/** The last commit before services that were let go had a kind of their own. */
export const beforeRetainedServices = 'b04857adafd5f9274a38315462c187fcdd7078be';

/** The last commit before stored data had a format of its own. */
export const beforeDataFormat = '1bd3275bb12a6006270d5eb85701fe535150bee8';

/** Names below `node_modules` that each version has for itself. */
const ownNames: readonly string[] = ['@chandlery', 'chandlery', 'node'];

/** Why an earlier version cannot be had; undefined when it can. */
export async function whyNoHistory(commit: string): Promise<string | undefined> {
  const { code } = await runProcess('git', ['-C', root, 'cat-file', '-e', `${commit}^{commit}`]);
  return code === 0 ? undefined : `commit ${commit.slice(0, 8)} is not part of this clone`;
}

/**
 * Writes an earlier version into a folder. Its own packages are those of its time, libraries are those that are installed
 * here: it had the same ones, or fewer.
 */
export async function checkOutEarlier(folder: string, commit: string): Promise<void> {
  await mkdir(folder);
  const tar = join(folder, 'earlier.tar');
  await must('git', ['-C', root, 'archive', '--output', tar, commit]);
  await must('tar', ['-xf', tar, '-C', folder]);
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@chandlery'), { recursive: true });
  const libraries = (await readdir(join(root, 'node_modules'))).filter(name => !ownNames.includes(name));
  for (const name of libraries) await symlink(join(root, 'node_modules', name), join(modules, name));
  for (const group of ['packages', 'domains', 'apps'])
    for (const name of await readdir(join(folder, group)))
      await symlink(join(folder, group, name), join(modules, '@chandlery', name));
  await writeNodePackage(join(modules, 'node'));
}

/** Earlier versions found their Node.js in a package of this name. */
async function writeNodePackage(folder: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(
    join(folder, 'package.json'),
    '{ "name": "node", "version": "26.0.0", "bin": { "node": "bin/node" } }',
  );
  await symlink(process.execPath, join(folder, 'bin/node'));
}

/** The package of this version's Node.js. */
const nodePackage = dirname(dirname(process.execPath));

async function must(command: string, args: readonly string[], cwd = root): Promise<void> {
  const { code, stdout, stderr } = await runProcess(command, args, { cwd, timeoutMs: 120_000 });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
}

/** The command of a version. */
const chandleryIn = (folder: string): string => join(folder, 'apps/cli/bin/chandlery.mjs');

/** Starts the landscape of a version. */
export const startVersion = (folder: string, flags: readonly string[], cwd: string): Promise<RunningProcess> =>
  startProcess(process.execPath, [chandleryIn(folder), 'up', ...flags], {
    cwd,
    ready: /is ready\./,
    readyTimeoutMs: 60_000,
  });

/** Runs the command of a version in a folder; it must succeed. */
export const runVersion = (folder: string, args: readonly string[], cwd: string): Promise<void> =>
  must(process.execPath, [chandleryIn(folder), ...args], cwd);

/** Writes a provider by the SDK of a version, and installs what it needs. */
export async function scaffoldBy(version: string, folder: string, name: string): Promise<void> {
  await must(process.execPath, [chandleryIn(version), 'provider', 'new', name], folder);
  await must('npm', ['install', '--no-audit', '--no-fund'], join(folder, name));
}

/** Updates a provider from the SDK of one version to that of another, and changes nothing else. */
export async function updateSdk(place: string, { from, to }: { from: string; to: string }): Promise<void> {
  const file = join(place, 'package.json');
  const earlier = await readFile(file, 'utf8');
  const later = earlier.replace(`file:${from}/node_modules/node"`, `file:${nodePackage}"`);
  await writeFile(file, later.replaceAll(`file:${from}/`, `file:${to}/`));
  await must('npm', ['install', '--no-audit', '--no-fund'], place);
}

/** This version. */
export const present = root;
