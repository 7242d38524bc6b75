// No container engine is needed: what the image runs is run as its user on a folder that this user cannot write to.
import assert from 'node:assert/strict';
import { chmod, chown, cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  freePorts,
  type ProcessResult,
  type RunningProcess,
  runProcess,
  startProcess,
  tempFolder,
} from '@chandlery/testing';
import { type ImageSettings, readDockerfile } from './support/dockerfile.ts';
import { cleanEnvironment, packRelease, root } from './support/release.ts';

const why =
  process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'it needs root to become another user';

describe('What the container image runs', { skip: why }, () => {
  const closing = new AsyncDisposableStack();
  const image: ImageSettings = readDockerfile(join(root, 'deploy/container/Dockerfile'));
  const [uid = '', gid = ''] = image.user.split(':');
  let env: Readonly<Record<string, string | undefined>>;
  let data: string;
  let bin: string;
  let server: RunningProcess;

  const asUser = (command: readonly string[]): readonly [string, ...string[]] => {
    const [name = '', ...args] = command;
    const program = [process.execPath, join(bin, `${name}.mjs`), ...args];
    return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', ...program];
  };
  const run = (command: readonly string[]): Promise<ProcessResult> => {
    const [program, ...args] = asUser(command);
    return runProcess(program, args, { env, cwd: '/' });
  };

  /** As the chart mounts them: the user of the image may read them, and nothing else. */
  const mountKeys = async (keys: string): Promise<void> => {
    const made = await runProcess(process.execPath, [join(bin, 'chandlery.mjs'), 'keys', 'create', keys]);
    assert.equal(made.code, 0, made.stderr);
    for (const file of [keys, ...(await readdir(keys)).map(name => join(keys, name))]) {
      await chown(file, 0, Number(gid));
      await chmod(file, file === keys ? 0o750 : 0o440);
    }
  };

  before(async () => {
    const folder = closing.use(await tempFolder('chandlery-image-'));
    const { commandFolder } = await packRelease(folder, ['--commands-only']);
    const installed = folder.join('opt');
    await cp(commandFolder, installed, { recursive: true });
    bin = join(installed, 'bin');
    data = folder.join('data');
    await mkdir(data, { mode: 0o700 });
    await chown(data, Number(uid), Number(gid));
    await mountKeys(join(data, 'keys'));
    const [port, xdsPort] = await freePorts(2);
    env = {
      ...cleanEnvironment,
      ...image.env,
      CHANDLERY_DATA_DIR: data,
      CHANDLERY_HOST: '127.0.0.1',
      CHANDLERY_PORT: `${port}`,
      CHANDLERY_XDS_PORT: `${xdsPort}`,
      NODE_COMPILE_CACHE: join(data, 'compiled'),
      HOME: '/nonexistent',
    };
  });
  after(() => closing.disposeAsync());

  it('is built from what the clone has', async () => {
    assert.deepEqual(image.copied, ['. .']);
    assert.ok((await readdir(dirname(bin))).includes('dist'));
    assert.notEqual(Number(uid), 0);
  });

  it('starts as an ordinary user, who writes to the data folder alone', async () => {
    const [program, ...args] = asUser([...image.entrypoint, ...image.command]);
    server = await startProcess(program, args, { env, cwd: '/', ready: /is ready\./, readyTimeoutMs: 60_000 });
    closing.use(server);
    assert.doesNotMatch(server.stdout(), /processes of this machine/);
    const [given, used] = await Promise.all(
      ['keys/admin.token', 'admin.token'].map(file => readFile(join(data, file), 'utf8')),
    );
    assert.equal(used, given, 'all replicas have the token of the Secret');
  });

  it('is healthy by its health check, and not when it is stopped', async () => {
    const healthy = await run(image.healthcheck);
    assert.equal(healthy.code, 0, healthy.stderr);
    server.signal('SIGTERM');
    assert.deepEqual(await server.ended, { code: 0, signal: null });
    assert.equal((await run(image.healthcheck)).code, 1);
  });
});
