import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiError, type KubeObject } from '@chandlery/api';
import type { AdmissionHook } from '../behaviours/behaviour.ts';
import { startTestKernel, testWrite } from '../test-kernel.ts';
import { applyObject } from './apply.ts';
import { deleteObject } from './delete.ts';
import { mutateObject } from './mutate.ts';
import { type PatchRequest, patchObject } from './patch.ts';

const refuse = (what: string): never => {
  throw apiError('Forbidden', `${what} is refused`);
};
const isLocked = ({ metadata }: KubeObject): boolean => metadata.labels?.['locked'] === 'true';

/** Rejects what bears the label `locked`, whatever its kind. */
const lock: AdmissionHook = {
  beforeWrite: (object, live) =>
    void (isLocked(live ?? object) && refuse(live === undefined ? 'a create' : 'an update')),
  beforeDelete: live => void (isLocked(live) && refuse('a delete')),
};
const labels = { locked: 'true' };
const forbidden = (what: RegExp) => ({ code: 'Forbidden', message: what });

/** A kind without a behaviour, and one with a behaviour of its own. */
const kinds = [
  { resource: 'serviceaccounts', body: { apiVersion: 'v1', kind: 'ServiceAccount' } },
  { resource: 'configmaps', body: { apiVersion: 'v1', kind: 'ConfigMap' } },
];

describe('The admission hook of the domains', () => {
  for (const { resource, body } of kinds) {
    it(`is asked about every way to write ${resource}`, async () => {
      let isOn = false;
      const hook: AdmissionHook = {
        beforeWrite: (...args) => (isOn ? lock.beforeWrite?.(...args) : undefined),
        beforeDelete: (...args) => (isOn ? lock.beforeDelete?.(...args) : undefined),
      };
      await using plane = await startTestKernel({ admission: hook });
      const object = { ...body, metadata: { name: 'a', labels } };
      await plane.create(resource, object);
      isOn = true;
      const target = await plane.target(resource, { name: 'a' });
      const patch: PatchRequest = {
        type: 'merge',
        endpoint: '',
        patch: { metadata: { finalizers: ['example.org/x'] } },
      };
      const applied: KubeObject = { ...body, metadata: { name: 'a', labels: { more: 'b' } } };
      const change = (live: KubeObject): KubeObject => ({ ...live, metadata: { ...live.metadata, labels: {} } });
      await assert.rejects(plane.create(resource, { ...object, metadata: { name: 'b', labels } }), forbidden(/create/));
      await assert.rejects(mutateObject(plane.deps, target, testWrite, { endpoint: '', change }), forbidden(/update/));
      await assert.rejects(patchObject(plane.deps, target, testWrite, patch), forbidden(/update/));
      const apply = applyObject(plane.deps, target, testWrite, { endpoint: '', applied, force: true });
      await assert.rejects(apply, forbidden(/update/));
      await assert.rejects(deleteObject(plane.deps, target, testWrite), forbidden(/delete/));
      await assert.rejects(deleteObject(plane.deps, target, { ...testWrite, dryRun: true }), forbidden(/delete/));
    });
  }
});
