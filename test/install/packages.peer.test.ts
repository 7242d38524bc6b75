import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  freePorts,
  kubectl,
  type ProcessResult,
  type RunningProcess,
  startProcess,
  tempFolder,
} from '@chandlery/testing';
import { cleanEnvironment, must, packRelease, type Release, root } from './support/release.ts';

/** The steps of a user who has the tarballs and no clone: install, start, write a provider, order from it. */
describe('From tarballs, in an empty folder', () => {
  const closing = new AsyncDisposableStack();
  let release: Release;
  let place: string;
  let provider: string;
  let server: RunningProcess;

  const npm = (cwd: string, ...args: readonly string[]): Promise<ProcessResult> =>
    must('npm', [...args, '--no-audit', '--no-fund'], { cwd, env: cleanEnvironment });
  const chandlery = (cwd: string, ...args: readonly string[]): Promise<ProcessResult> =>
    must('npx', ['--no', 'chandlery', ...args], { cwd, env: cleanEnvironment });
  const tenant = async (...args: readonly string[]): Promise<ProcessResult> => {
    const kubeconfig = join(place, '.chandlery/admin.kubeconfig');
    const result = await kubectl(['--kubeconfig', kubeconfig, '--context', 'onboarding', ...args]);
    assert.equal(result.code, 0, result.stderr);
    return result;
  };

  before(async () => {
    const folder = closing.use(await tempFolder('chandlery-install-'));
    release = await packRelease(folder);
    place = folder.join('empty');
    provider = join(place, 'ice-cream');
    await mkdir(place);
  });
  after(() => closing.disposeAsync());

  it('npm installs the command with the Node.js that it needs', async () => {
    await npm(place, 'install', release.command);
    const version = await chandlery(place, 'version', '-o', 'json');
    const details = JSON.parse(version.stdout) as { version: string; commit: string; date: string; node: string };
    assert.match(details.version, /^\d+\.\d+\.\d+$/);
    assert.match(details.commit, /^[0-9a-f]{40}$/);
    assert.ok(Math.abs(Date.parse(details.date) - Date.now()) < 3_600_000, 'it was built just now');
    assert.ok(Number.parseInt(details.node.slice(1), 10) >= 24, details.node);
  });

  it('it runs a landscape', async () => {
    const [port, xdsPort] = await freePorts(2);
    const args = ['up', '--port', `${port}`, '--xds-port', `${xdsPort}`];
    server = await startProcess(join(place, 'node_modules/.bin/chandlery'), args, {
      cwd: place,
      env: cleanEnvironment,
      ready: /is ready\./,
      readyTimeoutMs: 60_000,
    });
    closing.use(server);
    assert.match((await chandlery(place, 'status')).stdout, /running and ready/);
    const served = JSON.parse((await tenant('get', '--raw', '/version')).stdout) as { gitCommit: string };
    assert.match(served.gitCommit, /^[0-9a-f]{40}$/);
  });

  it('it writes a provider that depends on released packages', async () => {
    const { stdout } = await chandlery(place, 'provider', 'new', 'ice-cream');
    assert.match(stdout, /^ {2}npm install$/m);
    const manifest = await readFile(join(provider, 'package.json'), 'utf8');
    assert.match(manifest, /"@chandlery\/sdk": "\^\d+\.\d+\.\d+"/);
    assert.doesNotMatch(manifest, /file:/);
    await npm(provider, 'install', '--no-save', '--omit=dev', release.command, ...release.libraries);
    assert.equal(await readFile(join(provider, 'package.json'), 'utf8'), manifest);
    await npm(provider, 'test');
  });

  it('the libraries have declarations that a strict compiler accepts', async () => {
    const compilerOptions = { strict: true, noEmit: true, target: 'ESNext', module: 'NodeNext', types: ['node'] };
    const typeRoots = [join(root, 'node_modules/@types')];
    const options = { ...compilerOptions, typeRoots, allowImportingTsExtensions: true, skipLibCheck: true };
    await writeFile(join(provider, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
    await writeFile(
      join(provider, 'libraries.ts'),
      `import { parseWorkflow } from '@chandlery/workflow';
       import { defineProvider } from '@chandlery/sdk';
       export const workflow: ReturnType<typeof parseWorkflow> = undefined as never;
       // @ts-expect-error: declarations are there, or this would be any.
       defineProvider({ nonsense: true });`,
    );
    await must(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', provider], { cwd: provider });
  });

  it('the provider is installed, and a tenant orders from it', async () => {
    await chandlery(place, 'provider', 'install', 'ice-cream');
    await tenant('apply', '-f', join(provider, 'order.yaml'));
    await tenant('wait', '--for=condition=Ready', 'icecream/first', '--timeout=120s');
    const { stdout } = await chandlery(place, 'trace', 'icecream/first');
    assert.match(stdout, /IceCream\/first[\s\S]*Deployment/i);
  });

  it('the agent and the built-in product of the fleet run from it too', async () => {
    await chandlery(place, 'fleet', 'instances', 'create', 'rex', '--org', 'acme', '--user', 'ann', '--wait');
  });

  it('the landscape stops when it is asked to', async () => {
    server.signal('SIGTERM');
    assert.deepEqual(await server.ended, { code: 0, signal: null });
  });
});
