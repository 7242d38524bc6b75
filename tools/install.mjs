// Installs what package-lock.json asks for, unless it is there. Runs before `npm start` and `npm test` on whatever
// Node.js the machine has (20 or newer), so it is plain JavaScript without dependencies.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshBundle } from '../packages/platform/bin/bundle.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The packages of a lock file, or nothing when there is no such file. */
function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** npm leaves a record of what it installed; each locked package must be in it, in the same version. */
function isInstalled() {
  const wanted = lockedPackages('package-lock.json');
  const present = lockedPackages('node_modules/.package-lock.json');
  if (wanted === undefined || present === undefined) return false;
  const isPresent = ([path, entry]) =>
    // Workspaces appear as links; packages for other systems are optional and may be absent.
    path === '' || !path.includes('node_modules/') || entry.optional || isSame(entry, present[path]);
  return Object.entries(wanted).every(isPresent) && mustExist().every(file => existsSync(join(root, file)));
}

const isSame = (wanted, present) =>
  present !== undefined && wanted.version === present.version && wanted.integrity === present.integrity;

/** Without these nothing runs: the Node.js that npm scripts use, and our own command. */
function mustExist() {
  const suffix = process.platform === 'win32' ? '.cmd' : '';
  return [`node_modules/.bin/node${suffix}`, `node_modules/.bin/chandlery${suffix}`];
}

/** npm must not run on the Node.js that it is about to replace, nor on half of the workspaces. */
function environment() {
  const { npm_config_workspace: _one, npm_config_workspaces: _all, ...rest } = process.env;
  const path = (rest.PATH ?? '').split(delimiter).filter(folder => !folder.startsWith(join(root, 'node_modules')));
  return { ...rest, PATH: path.join(delimiter) };
}

function install() {
  console.error('Installing dependencies (npm ci), once: about half a minute …');
  const args = ['ci', '--include=dev', '--engine-strict=false', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawnSync('npm', args, {
    cwd: root,
    env: environment(),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (npm.error !== undefined) fail(`npm cannot be started: ${npm.error.message}`);
  if (npm.status !== 0) fail(`npm ci ended with ${npm.signal ?? `code ${npm.status}`}; its messages are above`);
  const missing = mustExist().find(file => !existsSync(join(root, file)));
  if (missing !== undefined)
    fail(`npm ci left no ${missing}; are install scripts switched off (npm config get ignore-scripts)?`);
}

function fail(why) {
  console.error(`Cannot install dependencies: ${why}.`);
  console.error('Check the network and the npm registry (npm ping), then try again.');
  process.exit(1);
}

/** Commands start faster from one file; without it they start from their sources. */
function bundle() {
  const node = join(root, mustExist()[0]);
  const made = spawnSync(node, [join(root, 'tools/bundle.ts')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (made.status !== 0) console.error(`Commands start from their sources, which takes longer: ${made.stderr.trim()}`);
}

if (!isInstalled()) install();
if (freshBundle('chandlery') === undefined) bundle();
