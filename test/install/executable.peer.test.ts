import assert from 'node:assert/strict';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  freePorts,
  type ProcessResult,
  type RunningProcess,
  runProcess,
  startProcess,
  tempFolder,
} from '@chandlery/testing';
import { cleanEnvironment, packRelease } from './support/release.ts';

/** Where no Node.js is, nor anything else. */
describe('The executable file, with an empty search path', { skip: process.platform !== 'linux' }, () => {
  const closing = new AsyncDisposableStack();
  let executable: string;
  let place: string;
  let env: Readonly<Record<string, string | undefined>>;
  let server: RunningProcess;

  const run = (args: readonly string[], program = executable): Promise<ProcessResult> =>
    runProcess(program, args, { cwd: place, env, timeoutMs: 120_000 });

  before(async () => {
    const folder = closing.use(await tempFolder('chandlery-executable-'));
    place = folder.path;
    const { folder: release } = await packRelease(folder, ['--commands-only', '--executable']);
    executable = join(release, 'chandlery');
    env = { ...cleanEnvironment, PATH: '', HOME: place, XDG_CACHE_HOME: undefined };
  });
  after(() => closing.disposeAsync());

  it('states its version, and unpacks itself once', async () => {
    const { code, stdout, stderr } = await run(['version', '-o', 'json']);
    assert.equal(code, 0, stderr);
    assert.match((JSON.parse(stdout) as { commit: string }).commit, /^[0-9a-f]{40}$/);
    assert.equal((await run(['--version'])).code, 0);
    const unpacked = (await readdir(join(place, '.cache/chandlery'))).filter(name => name !== 'compiled');
    assert.equal(unpacked.length, 1);
  });

  it('is the other commands by their names', async () => {
    assert.match((await run(['statu'])).stderr, /^Next: {2}Run "chandlery help status"\.$/m);
    await symlink(executable, join(place, 'chandlery-proxy'));
    assert.match((await run(['--help'], join(place, 'chandlery-proxy'))).stdout, /chandlery-proxy/);
  });

  it('runs a landscape whose processes need no Node.js either', async () => {
    const [port, xdsPort] = await freePorts(2);
    const args = ['up', '--port', `${port}`, '--xds-port', `${xdsPort}`];
    server = await startProcess(executable, args, { cwd: place, env, ready: /is ready\./, readyTimeoutMs: 60_000 });
    closing.use(server);
    assert.equal((await run(['status'])).code, 0);
    const order = ['fleet', 'instances', 'create', 'rex', '--org', 'acme', '--user', 'ann', '--wait'];
    const { code, stderr } = await run(order);
    assert.equal(code, 0, stderr);
  });

  it('stops when it is asked to', async () => {
    server.signal('SIGTERM');
    assert.deepEqual(await server.ended, { code: 0, signal: null });
  });
});
