import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { clientOf, configMaps, logicalClusters, named, namespaces } from '../durability/support/landscape-client.ts';
import { startReplicas } from './start-replicas.ts';

const map = (name: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
});

const fill = (client: Client, place: ResourceRef, count: number, metadata: object = {}) =>
  Promise.all(Array.from({ length: count }, (_, no) => client.create(place, map(`thing-${no}`, metadata))));

/** Waits until an object is deleted; longer than the election of a new leader takes. */
const gone = (client: Client, place: ObjectRef) =>
  eventually(
    () =>
      client.get(place).then(
        () => false,
        error => isError(error, 'NotFound'),
      ),
    {
      timeoutMs: 90_000,
      what: `${place.plural} ${place.name} to be deleted`,
    },
  );

const inNamespace = (namespace: string): ResourceRef => ({ ...configMaps, namespace });
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

describe('deletions complete although the replica that leads maintenance is killed', () => {
  test('namespaces, dependants and logical clusters, half way', async () => {
    await using replicas = await startReplicas(2);
    const [leader, other] = replicas.all as [(typeof replicas.all)[0], (typeof replicas.all)[0]];
    await using client = clientOf(other, 'onboarding');
    await using platform = clientOf(other, 'platform');
    await client.create(namespaces, namespace('doomed'));
    await fill(client, inNamespace('doomed'), 150);
    const owner = await client.create(configMaps, map('owner'));
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
    await fill(client, configMaps, 100, { ownerReferences });
    await other.createCluster('doomed');
    await using inside = clientOf(other, 'doomed');
    await fill(inside, configMaps, 100);

    await Promise.all([
      client.delete(named(namespaces, 'doomed')),
      client.delete(named(configMaps, 'owner'), { propagationPolicy: 'Background' }),
      platform.delete(named(logicalClusters, 'doomed')),
    ]);
    await leader.kill9();

    await gone(client, named(namespaces, 'doomed'));
    await gone(platform, named(logicalClusters, 'doomed'));
    await eventually(
      async () => (await client.list(configMaps)).items.every(({ metadata }) => !metadata.ownerReferences),
      {
        timeoutMs: 60_000,
        what: 'the dependants to be deleted',
      },
    );
    // And nothing of it comes back with the replica.
    await leader.restart();
    assert.equal((await leader.request('/clusters/doomed/api/v1/namespaces')).status, 404);
    assert.equal((await leader.request('/clusters/onboarding/api/v1/namespaces/doomed')).status, 404);
  });

  test('a namespace that waited for a finalizer when the leader changed', async () => {
    await using replicas = await startReplicas(2);
    const [leader, other] = replicas.all as [(typeof replicas.all)[0], (typeof replicas.all)[0]];
    await using client = clientOf(other, 'onboarding');
    await client.create(namespaces, namespace('held'));
    await client.create(inNamespace('held'), map('holder', { finalizers: ['example.org/hold'] }));
    await client.delete(named(namespaces, 'held'));
    // Long enough for the leader to write down that it has seen all this.
    await sleep(7000);
    await leader.kill9();
    await sleep(8000);
    const body = { metadata: { finalizers: null } };
    await client.patch(named(inNamespace('held'), 'holder'), { type: 'merge', body });
    await gone(client, named(namespaces, 'held'));
  });
});
