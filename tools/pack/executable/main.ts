// The main program of the executable file: unpacks the release, and runs the command that the file is named after. As
// `node` it runs a script, so that providers on local clusters need no other Node.js.
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheFolder, unpack } from './unpack.ts';

const otherCommands = ['chandlery-proxy', 'chandlery-agent'];

/** The script that runs, and its arguments. */
function choose(folder: string): { readonly script: string; readonly args: readonly string[] } {
  const name = basename(process.argv0).replace(/\.exe$/, '');
  const args = process.argv.slice(2);
  if (name !== 'node') {
    const command = otherCommands.includes(name) ? name : 'chandlery';
    return { script: join(folder, 'bin', `${command}.mjs`), args };
  }
  const [script = '', ...rest] = args;
  if (script === '' || script.startsWith('-'))
    throw new Error('this node is part of the executable of chandlery and runs scripts only: node SCRIPT [arguments]');
  return { script: resolve(script), args: rest };
}

function start(): void {
  const cache = cacheFolder(process.env);
  const folder = unpack(cache);
  const { script, args } = choose(folder);
  process.execPath = join(folder, 'bin/node');
  process.argv = [process.execPath, script, ...args];
  // The main program of an executable cannot import files; a module that was required can.
  const loader = createRequire(join(folder, 'load.mjs'))('./load.mjs') as { load(url: string): Promise<unknown> };
  loader.load(pathToFileURL(script).href).catch(fail);
}

function fail(thrown: unknown): void {
  console.error(thrown);
  process.exit(1);
}

try {
  start();
} catch (thrown) {
  console.error(`Error: chandlery cannot start: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  console.error('Next:  Set CHANDLERY_CACHE to a folder that you alone may write to.');
  process.exit(1);
}
