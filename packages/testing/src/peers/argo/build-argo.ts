// Builds the genuine Argo Workflows into a folder: node build-argo.ts FOLDER VERSION
import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { linuxSignals } from './linux-signals.ts';

const [folder = '', version = ''] = process.argv.slice(2);
const run = promisify(execFile);

/** The module's own files, out of the Go module proxy. */
async function download(): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `github.com/argoproj/argo-workflows/v4@${version}`]);
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}

/**
 * Copies the module and adds what it lacks as the proxy has it: how its executor starts processes on Linux, and the files
 * of its web interface, which the tests do not use.
 */
async function completeCopy(module: string): Promise<string> {
  const source = join(folder, 'source');
  await cp(module, source, { recursive: true });
  await run('chmod', ['-R', 'u+w', source]);
  await mkdir(join(source, 'ui/dist/app'), { recursive: true });
  await writeFile(join(source, 'ui/dist/app/index.html'), '<!doctype html>');
  await writeFile(join(source, 'workflow/executor/osspecific/signal_linux.go'), linuxSignals);
  return source;
}

await mkdir(folder, { recursive: true });
const module = await download();
const source = await completeCopy(module);
for (const program of ['argoexec', 'argo', 'workflow-controller'])
  await run('go', ['build', '-o', join(folder, program), `./cmd/${program}`], {
    cwd: source,
    env: { ...process.env, CGO_ENABLED: '0' },
  });
await cp(join(module, 'manifests/base/crds/minimal'), join(folder, 'crds'), { recursive: true });
await cp(join(module, 'examples'), join(folder, 'examples'), { recursive: true });
await rm(source, { recursive: true, force: true });
