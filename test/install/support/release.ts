import assert from 'node:assert/strict';
import { chmod, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type ProcessResult, runProcess, type TempFolder } from '@chandlery/testing';

export const root = join(import.meta.dirname, '../../..');

/** What `npm run pack` has built. */
export interface Release {
  readonly folder: string;
  /** The tarball of the package `chandlery`. */
  readonly command: string;
  /** The tarballs of the libraries. */
  readonly libraries: readonly string[];
  /** The package `chandlery` as a folder. */
  readonly commandFolder: string;
}

/** Builds packages, and with a flag more, into a temporary folder that others may read. */
export async function packRelease(folder: TempFolder, flags: readonly string[] = []): Promise<Release> {
  await chmod(folder.path, 0o755);
  const target = folder.join('release');
  await must(process.execPath, [join(root, 'tools/pack.ts'), '--folder', target, ...flags], { cwd: root });
  const tarballs = (await readdir(target)).filter(name => name.endsWith('.tgz'));
  return {
    folder: target,
    command: join(target, tarballs.find(name => /^chandlery-\d/.test(name)) ?? assert.fail('no package chandlery')),
    libraries: tarballs.filter(name => !/^chandlery-\d/.test(name)).map(name => join(target, name)),
    commandFolder: join(target, 'packages/chandlery'),
  };
}

/** The search path of a user without this clone: the Node.js of the machine, however old. */
export const pathOfMachine = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter(folder => !folder.includes('node_modules'))
  .join(delimiter);

/** What npm sets for its scripts would lead back into this clone. */
export const cleanEnvironment: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(
    Object.keys(process.env)
      .filter(name => name.startsWith('npm_') || name.startsWith('CHANDLERY_') || name.startsWith('NODE_'))
      .map(name => [name, undefined]),
  ),
  PATH: pathOfMachine,
};

interface MustOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs a command that must succeed. */
export async function must(
  command: string,
  args: readonly string[],
  { cwd, env }: MustOptions,
): Promise<ProcessResult> {
  const options = { cwd, timeoutMs: 300_000, ...(env === undefined ? {} : { env }) };
  const result = await runProcess(command, args, options);
  assert.equal(result.code, 0, `${command} ${args.join(' ')}\n${result.stdout}${result.stderr}`);
  return result;
}
