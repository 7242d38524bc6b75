// Installs what package-lock.json asks for, unless it is there: `--run` what running needs, otherwise what developing
// needs as well. Runs before `npm start` and `npm test` on whatever Node.js the machine has (20 or newer), so it is
// plain JavaScript without dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshBundle } from '../packages/platform/bin/bundle.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isForRunning = process.argv.includes('--run');

/** The packages of a lock file, or nothing when there is no such file. */
function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** The locked packages of this machine, as paths and entries; workspaces appear as links and are left out. */
function wantedPackages({ withDevelopment }) {
  const locked = Object.entries(lockedPackages('package-lock.json') ?? {});
  return locked.filter(([path, entry]) => {
    const isPackage = path.includes('node_modules/') && !entry.link && isForThisMachine(entry);
    return isPackage && (withDevelopment || !(entry.dev || entry.devOptional));
  });
}

const isForThisMachine = ({ os = process.platform, cpu = process.arch, libc = ownLibc }) =>
  [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch) && [libc].flat().includes(ownLibc);

/** Which C library the machine has, as package.json names it. */
const ownLibc = process.report?.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';

/** npm leaves a record of what it installed; each wanted package must be in it, in the same version. */
function isInstalled(wanted) {
  const present = lockedPackages('node_modules/.package-lock.json');
  if (wanted.length === 0 || present === undefined) return false;
  // Optional packages may be absent.
  const isThere = ([path, entry]) => entry.optional || isSame(entry, present[path]);
  return wanted.every(isThere) && missingProgram() === undefined;
}

const isSame = (wanted, present) =>
  present !== undefined && wanted.version === present.version && wanted.integrity === present.integrity;

/** Without these nothing runs: the Node.js that npm scripts use, and our own command. */
function missingProgram() {
  const suffix = process.platform === 'win32' ? '.cmd' : '';
  const programs = [`node_modules/.bin/node${suffix}`, `node_modules/.bin/chandlery${suffix}`];
  return programs.find(file => !existsSync(join(root, file)));
}

/** npm must not run on the Node.js that it is about to replace, nor on half of the workspaces. */
function environment() {
  const { npm_config_workspace: _one, npm_config_workspaces: _all, ...rest } = process.env;
  const path = (rest.PATH ?? '').split(delimiter).filter(folder => !folder.startsWith(join(root, 'node_modules')));
  return { ...rest, PATH: path.join(delimiter) };
}

/** Shows how many packages are there: on one line of a terminal, elsewhere a line every five seconds. */
function startProgress(wanted) {
  const start = Date.now();
  const isTerminal = process.stderr.isTTY;
  const show = end => {
    const count = wanted.filter(([path]) => existsSync(join(root, path, 'package.json'))).length;
    const seconds = Math.round((Date.now() - start) / 1000);
    process.stderr.write(`${isTerminal ? '\r' : ''}  ${count} of ${wanted.length} packages (${seconds} s)${end}`);
  };
  const timer = setInterval(() => show(isTerminal ? ' ' : '\n'), isTerminal ? 200 : 5000);
  return () => {
    clearInterval(timer);
    show('\n');
  };
}

/** Runs npm to its end. Returns why it failed. */
function runNpm(args) {
  const quiet = ['--engine-strict=false', '--no-audit', '--no-fund', '--progress=false'];
  const npm = spawn('npm', [...args, ...quiet], {
    cwd: root,
    env: environment(),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  return new Promise(resolve => {
    npm.once('error', error => resolve(`npm cannot be started: ${error.message}`));
    npm.once('close', (code, signal) =>
      resolve(code === 0 ? undefined : `npm ended with ${signal ?? `code ${code}`}; its messages are above`),
    );
  });
}

/**
 * Installs. What is there for running stays when the rest is added, because a landscape may run from it; `npm ci` would
 * begin by deleting it.
 */
async function install(wanted) {
  const isAddition = !isForRunning && isInstalled(wantedPackages({ withDevelopment: false }));
  console.error(`Installing what ${isForRunning ? 'running' : 'developing and testing'} needs, once (npm):`);
  const what = isAddition ? ['install', '--no-save'] : ['ci'];
  const args = [...what, isForRunning ? '--omit=dev' : '--include=dev', '--include=optional'];
  const stopProgress = startProgress(wanted);
  // What was fetched before is taken without asking again; a cache that is too old fails, and is asked about.
  const isDone = (await runNpm([...args, '--prefer-offline', '--loglevel=silent'])) === undefined;
  const outcome = isDone ? undefined : await runNpm([...args, '--loglevel=error']);
  stopProgress();
  if (outcome !== undefined) fail(outcome);
  const missing = missingProgram();
  if (missing !== undefined)
    fail(
      `npm left no ${missing}; does it omit optional packages (npm config get omit), or is there none for this machine`,
    );
}

function fail(why) {
  console.error(`Cannot install dependencies: ${why}.`);
  console.error('Check the network and the npm registry (npm ping), then try again.');
  process.exit(1);
}

/** Commands start faster from one file; without it they start from their sources. */
function bundle() {
  const node = join(root, `node_modules/.bin/node${process.platform === 'win32' ? '.cmd' : ''}`);
  const made = spawnSync(node, [join(root, 'tools/bundle.ts')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (made.status !== 0) console.error(`Commands start from their sources, which takes longer: ${made.stderr.trim()}`);
}

const wanted = wantedPackages({ withDevelopment: !isForRunning });
if (!isInstalled(wanted)) await install(wanted);
if (freshBundle('chandlery') === undefined) bundle();
