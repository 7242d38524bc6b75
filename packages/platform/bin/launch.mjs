// What our commands start with. Plain JavaScript, because the Node.js that starts them may be too old for TypeScript; they
// then start again with the one that npm installed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { freshBundle } from './bundle.mjs';

const oldestNode = 24;

/** Runs a command here, or again with a Node.js that can. `source` is the URL of its TypeScript. */
export async function launch(name, source) {
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) await runHere(name, source);
  else runWith(installedNode(name), name);
}

async function runHere(name, source) {
  // Compiled code is kept between starts; without a place for it we just start a little slower.
  module.enableCompileCache(
    process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL('../../../.cache/compiled', import.meta.url)),
  );
  const { main } = await import(freshBundle(name) ?? source);
  process.exitCode = await main(process.argv.slice(2));
}

/** The `node` package puts a Node.js for this machine beside our dependencies. */
function installedNode(name) {
  const require = module.createRequire(import.meta.url);
  try {
    const folder = join(dirname(require.resolve('node/package.json')), 'bin');
    const found = [join(folder, 'node'), join(folder, 'node.exe')].find(existsSync);
    if (found !== undefined) return found;
  } catch {
    // Not installed: the message below says what to do.
  }
  console.error(`${name} needs Node.js ${oldestNode} or newer; this is ${process.version}.`);
  console.error('Run "npm ci" in the repository: it brings a suitable one.');
  process.exit(1);
}

/** Runs the command again with another Node.js and behaves as if that were us: same streams, signals and exit. */
function runWith(node, name) {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR2', 'SIGINT', 'SIGQUIT'])
    process.on(signal, () => passOn(child, signal));
  child.on('error', error => {
    console.error(`${name}: cannot start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** A terminal sends its interrupts to the child as well; passing them on would deliver them twice. */
function passOn(child, signal) {
  const isFromTerminal = (signal === 'SIGINT' || signal === 'SIGQUIT') && process.stdin.isTTY;
  if (!isFromTerminal) child.kill(signal);
}
