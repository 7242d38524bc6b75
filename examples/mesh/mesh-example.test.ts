// The commands of the README, from the bootstraps to the calls.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort, runProcess, startProcess, tempFolder } from '@chandlery/testing';

const chandlery = join(import.meta.dirname, '../../apps/cli/bin/chandlery.mjs');

test('a client of the mesh calls the method that the policy allows, and no other', async () => {
  await using folder = await tempFolder();
  const cwd = folder.path;
  const cli = (...args: readonly string[]) => runProcess(process.execPath, [chandlery, ...args], { cwd });
  const start = (ready: RegExp, args: readonly string[], env: Record<string, string> = {}) =>
    startProcess(process.execPath, args, { cwd, env, ready });
  const ports = [`--port=${await freePort()}`, `--xds-port=${await freePort()}`];
  await using _landscape = await start(/Chandlery is ready/, [chandlery, 'up', ...ports]);
  const applied = await cli('apply', '-f', join(import.meta.dirname, 'shop.yaml'));
  assert.equal(applied.code, 0, applied.stderr);
  const { stdout: endpoints } = await cli('mesh', 'endpoints', 'shop/books');
  assert.match(endpoints, /^127\.0\.0\.1 +50051 +healthy +<none> +laptop /m, 'the machine is in no cluster');
  await using stack = new AsyncDisposableStack();
  for (const name of ['books', 'web']) {
    const account = ['--account', `shop/${name}`, '--dir', name];
    const { code, stdout, stderr } = await cli('mesh', 'bootstrap', 'grpc', ...account);
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`^\\S+/${name}/grpc\\.json is written`));
    stack.use(await start(/^Ready: /, [chandlery, 'mesh', 'agent', ...account]));
  }
  const server = { GRPC_XDS_EXPERIMENTAL_RBAC: 'true', GRPC_XDS_BOOTSTRAP: 'books/grpc.json' };
  stack.use(await start(/serving/, [join(import.meta.dirname, 'server.mjs')], server));
  const env = { ...process.env, GRPC_XDS_BOOTSTRAP: 'web/grpc.json' };
  const called = await runProcess(process.execPath, [join(import.meta.dirname, 'client.mjs')], { cwd, env });
  assert.equal(called.stdout, 'a book\n7 PERMISSION_DENIED: Unauthorized RPC rejected\n', called.stderr);
});
