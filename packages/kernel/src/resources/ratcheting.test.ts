import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError, type KubeObject } from '@chandlery/api';
import { crds, startTestKernel, type TestKernel, testCrd } from '../test-kernel.ts';

const boats = 'example.org/v1/boats';
const versionWith = (length: object) => ({
  name: 'v1',
  served: true,
  storage: true,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { length: { type: 'integer', ...length }, rig: { type: 'string' } } },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
});

describe('an object that was stored before its schema became stricter', () => {
  let plane: TestKernel;
  before(async () => {
    plane = await startTestKernel();
    await plane.create(crds, testCrd('boats', { versions: [versionWith({})] }));
    const metadata = { name: 'long', finalizers: ['example.org/hold'] };
    await plane.create(boats, { metadata, spec: { length: 900, rig: 'sloop' } });
    await plane.change(crds, 'boats.example.org', live => {
      (live as KubeObject & { spec: { versions: object[] } }).spec.versions = [versionWith({ maximum: 100 })];
    });
  });
  after(() => plane[Symbol.asyncDispose]());

  const specOf = (object: KubeObject) => object as KubeObject & { spec: { length: number; rig: string } };

  test('can be labelled, and have its other fields and its status changed', async () => {
    await plane.change(boats, 'long', live => {
      live.metadata.labels = { a: 'b' };
      specOf(live).spec.rig = 'ketch';
    });
    await plane.change(boats, 'long', live => void Object.assign(live, { status: { berth: 1 } }), {
      endpoint: 'status',
    });
    const now = specOf(await plane.get(boats, 'long'));
    assert.deepEqual(
      [now.metadata.labels, now.spec, now.status],
      [{ a: 'b' }, { length: 900, rig: 'ketch' }, { berth: 1 }],
    );
  });

  test('cannot have the invalid field changed to another invalid value', async () => {
    const change = plane.change(boats, 'long', live => void (specOf(live).spec.length = 901));
    await assert.rejects(change, error => isError(error, 'Invalid'));
  });

  test('can lose its finalizers, so that it, and its CRD, can be deleted', async () => {
    await plane.delete(crds, 'boats.example.org');
    await plane.change(boats, 'long', live => {
      delete live.metadata.finalizers;
      // The drain of the CRD writes too.
      delete live.metadata.resourceVersion;
    });
    await plane.gone(crds, 'boats.example.org');
  });
});
