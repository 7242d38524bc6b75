// `npm run pack [-- --folder DIR] [--commands-only] [--executable]`: builds what is installed elsewhere into `dist/`: the
// package `chandlery`, the libraries, and on request one executable file that needs no Node.js.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createBuildInfo } from './pack/build-info.ts';
import { writeCommandPackage } from './pack/pack-command.ts';
import { writeExecutable } from './pack/pack-executable.ts';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(root, 'dist') },
    'commands-only': { type: 'boolean', default: false },
    executable: { type: 'boolean', default: false },
  },
});
const folder = resolve(values.folder);
const packages = join(folder, 'packages');
const info = createBuildInfo(root);

const step = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
  const start = performance.now();
  const result = await work();
  console.log(`  ${what} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  return result;
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(packages, { recursive: true });
console.log(`chandlery ${info.version} (${info.commit.slice(0, 12) || 'no commit'}, ${info.treeState})`);
const command = join(packages, 'chandlery');
await step('bundled the commands', () => writeCommandPackage(root, command, info));
const folders = values['commands-only']
  ? []
  : await step('compiled the libraries', async () => {
      // It needs the compiler, which is not there where only commands are built.
      const { writeLibraries } = await import('./pack/pack-libraries.ts');
      return writeLibraries(root, packages, info.version);
    });
await step('packed', () => {
  const args = ['pack', '--pack-destination', folder, '--loglevel=error', command, ...folders];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' });
});
if (values.executable)
  await step('built the executable', () => writeExecutable(command, join(folder, 'chandlery'), info.version));
console.log(`Install one with: npm install ${join(relative(process.cwd(), folder), `chandlery-${info.version}.tgz`)}`);
if (values.executable)
  console.log(`Or run ${join(relative(process.cwd(), folder), 'chandlery')}, which needs nothing else.`);
