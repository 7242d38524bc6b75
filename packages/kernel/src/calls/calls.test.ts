import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isError, type JsonValue } from '@chandlery/api';
import { startTestKernel, type TestKernel } from '../test-kernel.ts';
import type { AuthorizedCall, Calls } from './calls.ts';

const user = { username: 'jane', groups: ['system:authenticated'] };
const options = { fieldManager: 'jane' };
const isForbidden = (error: unknown): boolean => isError(error, 'Forbidden');

/** Calls of a user without any rights: what they do has been authorised elsewhere, except what they create. */
async function callsOn(plane: TestKernel, plural: string): Promise<{ calls: Calls; call: AuthorizedCall }> {
  const target = await plane.target(plural, { namespace: 'default', name: 'a' });
  const access = await plane.kernel.access.of(target.cluster);
  return { calls: plane.kernel.calls(user), call: { target, access } };
}

describe('calls', () => {
  test('reject server-side apply that would create an object without the right to create', async () => {
    await using plane = await startTestKernel();
    const { calls, call } = await callsOn(plane, 'configmaps');
    const body: JsonValue = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
    const apply = () => calls.apply(call, options, { endpoint: '', body: structuredClone(body), force: false });
    await assert.rejects(apply(), isForbidden);
    await plane.create('configmaps', { metadata: { name: 'a' } });
    assert.deepEqual((await apply()).served.object['data'], { k: 'v' });
  });

  test('reject an update that would create an object without the right to create', async () => {
    await using plane = await startTestKernel();
    const { calls, call } = await callsOn(plane, 'coordination.k8s.io/v1/leases');
    const update = (by: AuthorizedCall) =>
      calls.updateOrCreate(by, options, { endpoint: '', body: { metadata: { name: 'a' }, spec: {} } });
    await assert.rejects(update(call), isForbidden);
    assert.ok((await update({ target: call.target })).isCreated);
    assert.equal((await update(call)).isCreated, false);
  });

  test('respond to a completed deletion with a status that names the deleted object', async () => {
    await using plane = await startTestKernel();
    const { calls, call } = await callsOn(plane, 'configmaps');
    const { object } = await plane.create('configmaps', { metadata: { name: 'a' } });
    const { status } = await calls.delete(call, options, {});
    assert.deepEqual(status?.['details'], { name: 'a', kind: 'configmaps', uid: object.metadata.uid });
  });
});
