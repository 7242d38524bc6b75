import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { startTestPlane } from '@chandlery/testing';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { ensureNamespace } from '../cluster/instance-namespace.ts';
import { resolveTestKind } from '../test-agent.ts';
import { testInstance, testProgram } from '../test-instance.ts';
import { InstanceReconciler } from './instance-reconciler.ts';
import { addressOf, observeWorkloads, routesOf } from './observe-instance.ts';

const deployment = (generation: number, observedGeneration: number): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'main', namespace: 'n', generation },
  spec: { replicas: 1 },
  status: { observedGeneration, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
});

test('a workload that was applied just now is not complete because an old state of it was', () => {
  const typesSeen = (seen: KubeObject | undefined, applied: KubeObject): readonly string[] =>
    observeWorkloads({ object: () => seen }, [applied]).map(({ type }) => type);
  assert.deepEqual(typesSeen(deployment(1, 1), deployment(2, 1)), ['progressing']);
  assert.deepEqual(typesSeen(undefined, deployment(2, 1)), ['progressing']);
  assert.deepEqual(typesSeen(deployment(2, 2), deployment(2, 1)), ['complete']);
});

test('Deleted is not reported of an instance that the watch does not show yet', async () => {
  await using plane = await startTestPlane();
  const { client } = plane;
  const instance = testInstance({ isDeleted: true });
  await ensureNamespace(client, 'dinosaurs', instance);
  const reports: string[] = [];
  const blind = { namespaceOf: () => undefined, objects: () => [], object: () => undefined } as unknown as ClusterView;
  const reconciler = new InstanceReconciler({
    client,
    view: blind,
    resolveKind: resolveTestKind,
    desired: { get: () => instance, kind: 'Dinosaur' },
    controlPlane: { readInstance: async () => undefined },
    reporter: { report: (_, { condition }) => void reports.push(condition.reason), forget: () => undefined },
    program: () => testProgram(),
    router: () => ({ host: '127.0.0.1', port: 1 }),
    product: 'dinosaurs',
    clusterId: 'c1',
    logger: silentLogger,
  });
  const context = { failures: 0, signal: new AbortController().signal };
  await reconciler.reconcile(instance.id, context);
  assert.deepEqual(reports, []);
  const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
  const left = (await client.list({ ...namespaces })).items.find(
    ({ metadata }) => metadata.name === instance.namespace,
  );
  assert.ok(left === undefined || left.metadata.deletionTimestamp !== undefined, 'it was removed instead');
});

const service = (name: string, annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, annotations },
});

test('routes and the address of an instance follow from its Services', () => {
  const services = [
    service('inner', {}),
    service('admin', { 'fleet.chandlery.io/route': 'admin' }),
    service('main', { 'fleet.chandlery.io/route': '', 'fleet.chandlery.io/scheme': 'postgresql' }),
  ];
  const router = { host: 'apps.example.com', port: undefined };
  assert.deepEqual(routesOf(services, router), [
    { name: 'admin', prefix: 'admin', router: 'apps.example.com' },
    { name: 'main', prefix: '', router: 'apps.example.com' },
  ]);
  const host = 'rex.example.com';
  assert.equal(addressOf(services, { host, router }), 'postgresql://rex.example.com/');
  assert.equal(addressOf(services, { host, router: { ...router, port: 7 } }), 'postgresql://rex.example.com:7/');
  assert.equal(addressOf(services.slice(0, 2), { host, router }), undefined);
});
