import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const sources = join(import.meta.dirname, 'executable');

/** Makes one file out of the package `chandlery` and the Node.js that runs this. */
export async function writeExecutable(packageFolder: string, target: string, version: string): Promise<void> {
  const work = `${target}.parts`;
  mkdirSync(work, { recursive: true });
  cpSync(join(sources, 'load.mjs'), join(work, 'load.mjs'));
  await build({
    entryPoints: [join(sources, 'main.ts')],
    outfile: join(work, 'main.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    logLevel: 'warning',
  });
  const files = { ...filesOf(packageFolder), 'load.mjs': join(work, 'load.mjs') };
  writeFileSync(join(work, 'build-id'), `${version}-${digest(files)}`);
  const settings = {
    main: join(work, 'main.cjs'),
    output: target,
    executable: process.execPath,
    disableExperimentalSEAWarning: true,
    execArgvExtension: 'none',
    assets: { ...files, 'build-id': join(work, 'build-id') },
  };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(settings));
  execFileSync(process.execPath, ['--build-sea', join(work, 'sea.json')], { stdio: ['ignore', 'ignore', 'inherit'] });
  chmodSync(target, 0o755);
  rmSync(work, { recursive: true });
}

/** Programs, templates and the manifest, which says that modules are ES modules. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const names = globSync(['bin/**', 'dist/**', 'template/**', 'package.json'], { cwd: folder });
  const isFile = (name: string): boolean => statSync(join(folder, name)).isFile();
  return Object.fromEntries(names.filter(isFile).map(name => [name.replaceAll('\\', '/'), join(folder, name)]));
}

function digest(files: Readonly<Record<string, string>>): string {
  const hash = createHash('sha256');
  for (const [name, path] of Object.entries(files).sort()) hash.update(name).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}
