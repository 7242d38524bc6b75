import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiError, isError } from '@chandlery/api';
import { eventually, startTestPlane } from '@chandlery/testing';
import { isTerminating } from './is-terminating.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
const namespaces = { group: '', version: 'v1', plural: 'namespaces' };

test('a write into a namespace that is being deleted is told from a right that is missing', async () => {
  await using plane = await startTestPlane();
  const { client } = plane;
  const metadata = { name: 'held', namespace: 'leaving', finalizers: ['example.org/hold'] };
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' } });
  const at = { ...configMaps, namespace: 'leaving' };
  await client.create(at, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  await client.delete({ ...namespaces, name: 'leaving' });
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late', namespace: 'leaving' } };
  const failure = await eventually(() =>
    client.create(at, body).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  assert.ok(isError(failure, 'Forbidden'));
  assert.equal(isTerminating(failure), true);
  assert.equal(isTerminating(apiError('Forbidden', 'user "ann" cannot create configmaps')), false);
  await client.patch({ ...at, name: 'held' }, { type: 'merge', body: { metadata: { finalizers: null } } });
});
