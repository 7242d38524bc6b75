import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  eventually,
  freePorts,
  kubectlPath,
  type RunningProcess,
  runProcess,
  startProcess,
  type TempFolder,
  tempFolder,
} from '@chandlery/testing';
import { blocksOf } from './support/terminal.ts';

const root = join(import.meta.dirname, '../..');
const bin = join(root, 'apps/cli/bin/chandlery.mjs');

/** The page is played by a shell in a folder of its own, where the packages of this clone are installed. */
describe('docs/providers.md works as written', () => {
  const closing = new AsyncDisposableStack();
  let folder: TempFolder;
  let server: RunningProcess;
  let dev: RunningProcess;
  let env: Record<string, string>;
  let blocks: string[];

  /** Runs the next block; its commands begin in the folder of the provider, once it is written. */
  async function play(cwd = folder.join('ice-cream')): Promise<string> {
    const block = blocks.shift() ?? assert.fail('the page has no further commands');
    // npx would look for a package of that name, and npm for packages that are not released yet.
    const npm = 'npm() { if [ "$1" = install ]; then ln -s "$CLONE/node_modules" .; else command npm "$@"; fi; }';
    const script = ['set -eo pipefail', 'npx() { "$@"; }', npm, block].join('\n');
    const { code, stdout, stderr } = await runProcess('bash', ['-c', script], { cwd, env, timeoutMs: 240_000 });
    const output = `${stdout}\n${stderr}`;
    assert.equal(code, 0, `${block}\n${output}`);
    return output;
  }

  /** Waits until watching has rolled a change out, after the first `since` characters of its output. */
  const rolledOut = (since: number): Promise<unknown> =>
    eventually(() => /^ready.* \(\d/m.test(dev.stdout().slice(since)), {
      timeoutMs: 120_000,
      what: `a roll-out in ${dev.stdout().slice(since)}`,
    });

  before(async () => {
    folder = closing.use(await tempFolder());
    const [port, xdsPort] = await freePorts(2);
    env = {
      CHANDLERY_PORT: String(port),
      CHANDLERY_XDS_PORT: String(xdsPort),
      CHANDLERY_DATA_DIR: folder.join('.chandlery'),
      CLONE: root,
      HOME: folder.path,
      PATH: [dirname(await kubectlPath()), join(root, 'node_modules/.bin'), process.env['PATH']].join(':'),
    };
    const ready = /Chandlery is ready/;
    server = closing.use(await startProcess(process.execPath, [bin, 'up'], { cwd: folder.path, env, ready }));
    blocks = await blocksOf('docs/providers.md');
  });
  after(() => closing.disposeAsync());

  it('1: a new provider passes its test', async () => {
    blocks.shift();
    assert.match(await play(folder.path), /pass 2/);
  });

  it('2: it is installed, ordered from, and used', async () => {
    const ordered = await play();
    assert.match(ordered, /^serviceprovider\/ice-cream installed$/m);
    assert.match(ordered, /^NAMESPACE +NAME +VERSION +PHASE +READY +SYNCED +REASON +AGE$/m);
    assert.match(ordered, /^default +first +v1 +Ready +True +True +ReconcileSuccess/m);
    assert.match(ordered, /IceCream\/first[\s\S]*Deployment\/ice-cream/);
    assert.match(await play(), /icecreamitem\S*\/harbour condition met/);
  });

  it('3: changes are rolled out, and a mistake is found', async () => {
    const cwd = folder.join('ice-cream');
    // What "npm run dev" runs: npm keeps signals to itself.
    assert.match(await readFile(join(cwd, 'package.json'), 'utf8'), /"dev": "chandlery provider dev"/);
    const args = [bin, 'provider', 'dev'];
    dev = await startProcess(process.execPath, args, { cwd, env, ready: /^ready/m, readyTimeoutMs: 120_000 });
    closing.use(dev);
    let since = dev.stdout().length;
    await play();
    await rolledOut(since);
    assert.match(dev.stdout().slice(since), /^changed: kinds\.ts$[\s\S]*pods? of domain services restarted/m);
    since = dev.stdout().length;
    const planned = await play();
    assert.match(
      planned,
      /^Why: {3}Cannot read properties of undefined \(reading 'trim'\) \(desired, provider\.ts:\d+\)$/m,
    );
    assert.match(planned, /^ {4}at .*\/ice-cream\/provider\.ts:\d+:\d+/m);
    await rolledOut(since);
    await eventually(() =>
      /run: warn: cannot reconcile: .*\(desired, provider\.ts:\d+\) \(default\/first\)$/m.test(dev.stdout()),
    );
    since = dev.stdout().length;
    await play();
    await rolledOut(since);
    dev.signal('SIGINT');
    await dev.ended;
    assert.match(dev.stdout(), /^stopped watching; /m);
  });

  it('4: it is in the marketplace', async () => {
    assert.match(await play(), /icecream[\s\S]*version/);
  });

  it('5: it is upgraded, and uninstalled after its tenants have left', async () => {
    const upgraded = await play();
    assert.match(upgraded, /changing image example\.com\/ice-cream-provider:v1 → example\.com\/ice-cream-provider:v2/);
    assert.match(upgraded, /^ServiceProvider ice-cream: Ready$/m);
    const removed = await play();
    assert.match(removed, /^Why: {3}tenants use it: IceCream default\/first$/m);
    assert.match(removed, /^serviceprovider\/ice-cream uninstalled$/m);
    assert.match(removed, /^hostimage\/ice-cream-provider deleted$/m);
    assert.deepEqual(blocks, [], 'every block was played');
    await server.stop();
  });
});
