import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Script, startTestMeshServer } from '../../mesh/test-mesh-server.ts';

const collection = '/clusters/platform/apis/mesh.chandlery.io/v1alpha1/meshrootcertificates';

interface Root {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly role: string; readonly trustDomain: string; readonly replaces?: string };
  status?: object;
}

const rotated = (status: string, reason: string, message: string) => ({
  conditions: [{ type: 'Rotated', status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' }],
});

/** A platform cluster with roots. Each read of the newest of several advances its rotation by a step. */
function platformWith(roots: Root[], steps: readonly object[]): Script {
  let looks = 0;
  return ({ method, path, body }) => {
    if (!path.startsWith(collection)) return undefined;
    if (method === 'POST') {
      roots.push(body as unknown as Root);
      return { status: 201, body };
    }
    const { searchParams } = new URL(path, 'http://h');
    // A watch that ends immediately: the client reads again.
    if (searchParams.has('watch')) return { body: { type: 'BOOKMARK', object: { metadata: {} } } };
    const name = /^metadata\.name=(.+)$/.exec(searchParams.get('fieldSelector') ?? '')?.[1];
    if (name === undefined) return { body: { metadata: {}, items: roots } };
    const items = roots.filter(root => root.metadata.name === name);
    for (const root of items) root.status = steps[Math.min(looks++, steps.length - 1)] ?? {};
    return { body: { metadata: { resourceVersion: '1' }, items } };
  };
}

const oldRoot = (): Root => ({ metadata: { name: 'root-1' }, spec: { role: 'active', trustDomain: 'cluster.local' } });

const done = rotated('True', 'Complete', '');
const waiting = rotated(
  'False',
  'Waiting',
  'The step Introduce waits for proxies to acknowledge their secrets: web-1.',
);

describe('mesh rotate-root', () => {
  test('begins a rotation and tells how it goes until it is through', async () => {
    const roots = [oldRoot()];
    await using mesh = await startTestMeshServer(platformWith(roots, [waiting, waiting, done]));
    const { code, stdout, stderr } = await mesh.run('mesh', 'rotate-root', '--validity-days', '30');
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout,
      'The root "root-2" takes the place of "root-1". The rotation continues by itself; Ctrl-C stops only the watching.\n' +
        'The step Introduce waits for proxies to acknowledge their secrets: web-1.\n' +
        'The root "root-2" has taken the place of "root-1".\n',
    );
    const spec = { role: 'inactive', trustDomain: 'cluster.local', validityDays: 30, replaces: 'root-1' };
    assert.deepEqual(roots[1]?.spec, spec);
  });

  test('says why it has stopped, and ends with 1', async () => {
    const stopped = rotated('False', 'TimedOut', 'The rotation has stopped before the step Retire.');
    await using mesh = await startTestMeshServer(platformWith([oldRoot()], [waiting, stopped]));
    const { code, stderr } = await mesh.run('mesh', 'rotate-root');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^Error: cannot replace the root of the mesh\nWhy: {3}The rotation has stopped before the step Retire\.\nNext: {2}.+--follow/,
    );
  });

  test('need not be waited for, and can be followed later', async () => {
    const roots = [oldRoot()];
    await using mesh = await startTestMeshServer(platformWith(roots, [done]));
    assert.match((await mesh.run('mesh', 'rotate-root', '--wait=false')).stdout, /^The root "root-2" takes .+\n$/);
    const again = await mesh.run('mesh', 'rotate-root');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /the root "root-2" is already replacing/);
    const followed = await mesh.run('mesh', 'rotate-root', '--follow');
    assert.equal(followed.code, 0);
    assert.match(followed.stdout, /\nThe root "root-2" has taken the place of "root-1"\.\n$/);
  });

  test('has nothing to follow when none goes on', async () => {
    await using mesh = await startTestMeshServer(platformWith([oldRoot()], []));
    assert.match(
      (await mesh.run('mesh', 'rotate-root', '--follow')).stderr,
      /no root is being replaced\nNext: {2}Begin with/,
    );
  });
});
