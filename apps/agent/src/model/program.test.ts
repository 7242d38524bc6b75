import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { testInstance, testProgram } from '../test-instance.ts';
import { expectedObjects, hasSecretPlaceholders, objectsOf } from './program.ts';

const context = { product: 'dinosaurs', clusterId: 'c1' };
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's' },
  stringData: { key: '{{ tls.key }}' },
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', labels: { app: 'd' } },
  spec: { replicas: 2, template: { metadata: { labels: { app: 'd' } }, spec: {} } },
};
const labels = { 'fleet.chandlery.io/product': 'dinosaurs', 'fleet.chandlery.io/instance': 'c0ffee' };

test("objects are placed in the instance's namespace and labelled, pods too", () => {
  const [object] = objectsOf(testProgram(deployment), testInstance(), context);
  assert.equal(object?.metadata.namespace, 'dinosaur-c0ffee');
  assert.deepEqual(object?.metadata.labels, { app: 'd', ...labels });
  assert.deepEqual(object?.['spec'], {
    replicas: 2,
    template: { metadata: { labels: { app: 'd', ...labels } }, spec: {} },
  });
});

test('a suspended instance has no replicas', () => {
  const [object] = objectsOf(testProgram(deployment), testInstance({ isSuspended: true }), context);
  assert.equal((object?.['spec'] as { replicas: number }).replicas, 0);
});

test('texts of Secrets are encoded', () => {
  const [object] = objectsOf(testProgram(secret), testInstance(), context);
  assert.deepEqual(object?.['data'], { key: Buffer.from('KEY').toString('base64') });
  assert.equal(object?.['stringData'], undefined);
});

test('what is expected without secrets says where they are missing', () => {
  const instance = testInstance({ secrets: { tls: undefined, serviceAccounts: [] } });
  const program = testProgram(secret, deployment);
  assert.deepEqual(
    expectedObjects(program, instance, context).map(({ hasSecrets }) => hasSecrets),
    [true, false],
  );
  assert.deepEqual([hasSecretPlaceholders(program.objects), hasSecretPlaceholders([deployment])], [true, false]);
});

const bad: readonly { why: string; objects: readonly object[]; message: RegExp }[] = [
  { why: 'no name', objects: [{ apiVersion: 'v1', kind: 'Secret', metadata: {} }], message: /metadata\.name/ },
  {
    why: 'a namespace',
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }],
    message: /Namespace/,
  },
  { why: 'the same twice', objects: [secret, secret], message: /two objects v1\/Secret\/s/ },
  { why: 'a missing secret', objects: [secret], message: /tls\.key/ },
];
for (const { why, objects, message } of bad)
  test(`a program is rejected: ${why}`, () => {
    const instance = testInstance(
      why === 'a missing secret' ? { secrets: { tls: undefined, serviceAccounts: [] } } : {},
    );
    const program = testProgram(...(objects as readonly JsonObject[]));
    assert.throws(() => objectsOf(program, instance, context), { code: 'TerminalError', message });
  });
