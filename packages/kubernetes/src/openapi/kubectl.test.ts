import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { KubeObject } from '@chandlery/api';
import { cronTabKind, sampleKinds, sampleReviews } from '../discovery/test-kinds.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const run = promisify(execFile);
const hasKubectl = (process.env.PATH ?? '').split(delimiter).some(folder => {
  try {
    accessSync(join(folder, 'kubectl'), constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

const cronTab: KubeObject = {
  apiVersion: 'stable.example.com/v1',
  kind: 'CronTab',
  metadata: { name: 'one', namespace: 'default', creationTimestamp: '2026-03-01T11:00:00Z' },
  spec: { cronSpec: '@daily' },
};
const review = {
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
};

// The documents exist for kubectl's sake; on a machine without it the tests beside this one have to do.
if (hasKubectl) {
  describe('kubectl', () => {
    let server: TestServer;
    let home: string;
    const kubectl = async (...args: string[]): Promise<string> => {
      const env = { PATH: process.env.PATH, HOME: home, KUBECONFIG: '/dev/null' };
      const { stdout } = await run('kubectl', ['--server', server.url, ...args], { env });
      return stdout;
    };
    const manifest = async (object: object): Promise<string> => {
      const path = join(home, 'object.json');
      await writeFile(path, JSON.stringify(object));
      return path;
    };
    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'chandlery-kubectl-'));
      const columns = { columns: cronTabKind.versions[0]?.columns ?? [] };
      server = await startTestServer({
        kinds: sampleKinds,
        reviews: sampleReviews,
        prefix: '/clusters/a',
        objects: [cronTab],
        columns,
      });
    });
    after(async () => {
      await server[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    });

    test('lists all resources', async () => {
      const names = (await kubectl('api-resources', '-o', 'name')).trim().split('\n');
      for (const name of [
        'namespaces',
        'deployments.apps',
        'crontabs.stable.example.com',
        'selfsubjectaccessreviews.authorization.k8s.io',
      ]) {
        assert.ok(names.includes(name), name);
      }
    });

    test('explains custom kinds, their metadata and built-in kinds', async () => {
      assert.match(
        await kubectl('explain', 'crontab.spec', '--recursive'),
        /cronSpec\s+<string> -required-[^]*steps\s+<\[\]Object>\n\s+name\s/,
      );
      assert.match(
        await kubectl('explain', 'crontab.metadata'),
        /FIELD: metadata <ObjectMeta>[^]*ownerReferences\s+<\[\]OwnerReference>/,
      );
      assert.match(await kubectl('explain', 'ns.status.phase'), /FIELD: phase <string>/);
      assert.match(await kubectl('explain', 'selfsubjectaccessreviews.spec'), /resourceAttributes\s+<Object>/);
    });

    test('shows tables', async () => {
      assert.equal(await kubectl('get', 'ct'), 'NAME   SPEC\none    @daily\n');
    });

    test('leaves validation to the server', async () => {
      const path = await manifest({ ...cronTab, metadata: { name: 'two', namespace: 'default' } });
      assert.equal(await kubectl('create', '-f', path), 'crontab.stable.example.com/two created\n');
      assert.equal(
        await kubectl('create', '-f', path, '--dry-run=server'),
        'crontab.stable.example.com/two created (server dry run)\n',
      );
      assert.equal(await kubectl('apply', '-f', path), 'crontab.stable.example.com/two created\n');
      assert.equal(
        await kubectl('apply', '--server-side', '-f', path),
        'crontab.stable.example.com/two serverside-applied\n',
      );
      assert.match(await kubectl('create', '-f', await manifest(review), '-o', 'name'), /^selfsubjectaccessreview/);
      assert.equal(
        server.requests.some(request => request.includes('/openapi/v2')),
        false,
      );
    });
  });
}
