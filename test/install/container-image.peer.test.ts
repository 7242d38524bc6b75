// The container image, built and run by an engine: container.test.ts runs what is in it without one.
import assert from 'node:assert/strict';
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
import { ContainerEngine, whyNoContainers } from './support/container-engine.ts';
import { readDockerfile } from './support/dockerfile.ts';
import { root } from './support/release.ts';

const dockerfile = join(root, 'deploy/container/Dockerfile');
const image = 'localhost/chandlery:test';
const why = await whyNoContainers();

/** What podman shows of an image. */
interface InspectedImage {
  readonly Config: { readonly ExposedPorts: Readonly<Record<string, object>>; readonly StopSignal: string };
  readonly Healthcheck: { readonly Test: readonly string[] };
}

describe('The container image', { skip: why }, () => {
  const closing = new AsyncDisposableStack();
  let engine: ContainerEngine;
  let commit: string;
  let ports: readonly string[];
  let server: RunningProcess;

  const exec = (...command: readonly string[]): Promise<ProcessResult> => engine.run(['exec', 'landscape', ...command]);

  const start = async (): Promise<void> => {
    const [port = '', xdsPort = ''] = ports;
    const surroundings = ['--network', 'host', '--ulimit', 'host', '--env', 'CHANDLERY_HOST=127.0.0.1'];
    const files = ['--read-only', '--tmpfs', '/tmp', '--volume', 'data:/var/lib/chandlery'];
    // Its own check is executed by a test; podman would ask systemd to repeat it.
    const name = ['--rm', '--name', 'landscape', '--no-healthcheck'];
    const up = ['up', '--port', port, '--xds-port', xdsPort];
    const [program, ...args] = engine.podman(['run', ...name, ...surroundings, ...files, image, ...up]);
    server = await startProcess(program, args, {
      env: engine.env,
      ready: /is ready\./,
      readyTimeoutMs: 120_000,
    });
    closing.use(server);
  };

  before(async () => {
    const folder = closing.use(await tempFolder('chandlery-containers-'));
    engine = closing.use(await ContainerEngine.open(folder));
    ports = (await freePorts(2)).map(String);
    commit = (await runProcess('git', ['rev-parse', 'HEAD'], { cwd: root })).stdout.trim();
    await engine.makeBaseImage();
    await engine.build(image, { dockerfile, context: root, args: { COMMIT: commit } });
    await start();
  });
  after(() => closing.disposeAsync());

  it('states the commit it was built from', async () => {
    const { stdout, stderr } = await exec('chandlery', 'version', '-o', 'json');
    assert.equal((JSON.parse(stdout) as { commit: string }).commit, commit, stderr);
  });

  it('runs as its own user, on a root file system that it cannot write to', async () => {
    const { user } = readDockerfile(dockerfile);
    assert.equal((await exec('sh', '-c', 'echo $(id -u):$(id -g)')).stdout.trim(), user);
    assert.match((await exec('touch', '/opt/chandlery/x')).stderr, /Read-only file system/);
    assert.equal((await exec('stat', '-c', '%a', '/var/lib/chandlery/admin.token')).stdout.trim(), '600');
  });

  it('has the packed commands alone, and names them as they are called there', async () => {
    const { stdout } = await exec('sh', '-c', 'ls /opt/chandlery; ls / | grep -x src');
    assert.doesNotMatch(stdout, /^(src|packages|domains|test)$/m);
    assert.match(server.stdout(), /signed in: chandlery console/);
    const entry = ['run', '--rm', '--ulimit', 'host', '--network', 'none', '--entrypoint', 'chandlery-proxy'];
    assert.match((await engine.run([...entry, image, '--help'])).stdout, /chandlery-proxy/);
  });

  it('is healthy by its own check', async () => {
    const { healthcheck } = readDockerfile(dockerfile);
    const { code, stdout, stderr } = await exec(...healthcheck);
    assert.equal(code, 0, stdout + stderr);
  });

  it('keeps its data when it is replaced, and drains when it is stopped', async () => {
    const made = await exec('chandlery', 'cluster', 'create', 'my-team');
    assert.equal(made.code, 0, made.stderr);
    assert.equal((await engine.run(['stop', '--time', '30', 'landscape'])).code, 0);
    assert.equal((await server.ended).code, 0, server.stderr());
    await start();
    assert.match((await exec('chandlery', 'cluster', 'list', '-o', 'name')).stdout, /my-team/);
  });

  it('declares what operators see of it', async () => {
    const { stdout } = await engine.run(['image', 'inspect', image]);
    const [{ Config: config, Healthcheck: check }] = JSON.parse(stdout) as [InspectedImage];
    assert.deepEqual(config.ExposedPorts, { '18000/tcp': {}, '7443/tcp': {} });
    assert.equal(config.StopSignal, 'SIGTERM');
    assert.deepEqual(check.Test, ['CMD', ...readDockerfile(dockerfile).healthcheck]);
  });
});
