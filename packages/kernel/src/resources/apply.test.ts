import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import { crds, startTestKernel, type TestKernel, testCrd, testWrite } from '../test-kernel.ts';
import { applyObject } from './apply.ts';

describe('server-side apply', () => {
  let plane: TestKernel;
  before(async () => {
    plane = await startTestKernel();
    await plane.create(crds, testCrd('widgets'));
  });
  after(() => plane[Symbol.asyncDispose]());

  const apply = async (
    name: string,
    body: object,
    options: { manager?: string; force?: boolean; endpoint?: '' | 'status'; resource?: string; metadata?: object } = {},
  ) => {
    const { manager = 'one', force = false, endpoint = '', resource = 'configmaps', metadata = {} } = options;
    const target = await plane.target(resource, { name });
    const { kind, version } = target.resource;
    const applied: KubeObject = {
      apiVersion: version.apiVersion,
      kind: kind.kind,
      metadata: { name, ...metadata },
      ...body,
    };
    return applyObject(plane.deps, target, { ...testWrite, fieldManager: manager }, { endpoint, applied, force });
  };

  test('creates what is missing and then merges into it', async () => {
    const created = await apply('merged', { data: { a: '1' } });
    assert.equal(created.isCreated, true);
    const changed = await apply('merged', { data: { b: '2' } }, { manager: 'two' });
    assert.equal(changed.isCreated, false);
    assert.deepEqual(changed.served.object['data'], { a: '1', b: '2' });
    const without = await apply('merged', { data: {} });
    assert.deepEqual(without.served.object['data'], { b: '2' });
  });

  test('changes nothing the second time', async () => {
    const first = await apply('same', { data: { a: '1' } });
    plane.clock.advance(5000);
    const second = await apply('same', { data: { a: '1' } });
    assert.equal(second.served.revision, first.served.revision);
  });

  test('refuses to take fields from others, unless forced', async () => {
    await apply('taken', { data: { a: '1' } });
    await assert.rejects(
      apply('taken', { data: { a: '2' } }, { manager: 'two' }),
      error => isError(error, 'Conflict') && error.details.causes?.[0]?.field === '.data.a',
    );
    const forced = await apply('taken', { data: { a: '2' } }, { manager: 'two', force: true });
    assert.deepEqual(forced.served.object['data'], { a: '2' });
  });

  test('on the status endpoint changes status alone, and creates nothing', async () => {
    const resource = 'example.org/v1/widgets';
    await apply('w', { spec: { a: 1 } }, { resource });
    const { served } = await apply(
      'w',
      { spec: { a: 2 }, status: { ok: true } },
      { resource, endpoint: 'status', manager: 'observer' },
    );
    assert.deepEqual([served.object['spec'], served.object['status']], [{ a: 1 }, { ok: true }]);
    await assert.rejects(apply('missing', { status: {} }, { resource, endpoint: 'status' }), error =>
      isError(error, 'NotFound'),
    );
  });

  test('holds to a resourceVersion that it names', async () => {
    const { served } = await apply('pinned', { data: { a: '1' } });
    const { resourceVersion } = served.object.metadata;
    await apply('pinned', { data: { a: '2' } }, { metadata: { resourceVersion } });
    await assert.rejects(apply('pinned', { data: { a: '3' } }, { metadata: { resourceVersion } }), error =>
      isError(error, 'Conflict'),
    );
    await assert.rejects(apply('unborn', { data: {} }, { metadata: { resourceVersion } }), error =>
      isError(error, 'Conflict'),
    );
  });

  test('by many at once creates one object that holds what all of them said', async () => {
    const applying = Array.from({ length: 20 }, (_, index) =>
      apply('crowd', { data: { [`k${index}`]: 'v' } }, { manager: `m${index}` }),
    );
    const outcomes = await Promise.all(applying);
    assert.equal(outcomes.filter(({ isCreated }) => isCreated).length, 1);
    assert.equal(Object.keys((await plane.get('configmaps', 'crowd'))['data'] as object).length, 20);
  });
});

test('applying the same again later writes nothing, also with defaults inside atomic fields', async () => {
  await using plane = await startTestKernel();
  const applied = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'web',
              env: [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            },
          ],
        },
      },
    },
  };
  const target = await plane.target('apps/v1/deployments', { name: 'web' });
  const apply = async (): Promise<string | undefined> => {
    const request = { endpoint: '', applied: structuredClone(applied), force: true } as const;
    const { served } = await applyObject(plane.deps, target, testWrite, request);
    return served.object.metadata.resourceVersion;
  };
  const first = await apply();
  plane.clock.advance(5000);
  assert.equal(await apply(), first);
});
