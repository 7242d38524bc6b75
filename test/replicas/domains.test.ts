import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '@chandlery/client';
import { type Cluster, clusters } from '@chandlery/clusters/kinds';
import { type ControlPlane, controlPlanes } from '@chandlery/providers/kinds';
import { isConditionTrue } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { clientOf } from '../durability/support/landscape-client.ts';
import { startReplicas } from './start-replicas.ts';

const planes = { ...controlPlanes.ref, namespace: 'default' };

/** Longer than a lease lasts. */
const patience = { timeoutMs: 90_000, pauseMs: 100 };

/** The first writes may come before the kinds of the domains are installed. */
const create = (client: Client, name: string) =>
  eventually(async () => client.create(planes, controlPlanes.object({ name }, {})), patience);

const ready = (client: Client, name: string) =>
  eventually(async () => isConditionTrue(await client.get<ControlPlane>({ ...planes, name }), 'Ready'), {
    ...patience,
    what: `control plane "${name}" to be ready`,
  });

test('control planes are looked after by one replica, and by another when that is killed', async () => {
  await using replicas = await startReplicas(2);
  const [first, second] = replicas.all as [(typeof replicas.all)[0], (typeof replicas.all)[0]];
  await using client = clientOf(second, 'onboarding');
  await using platform = clientOf(second, 'platform');
  await create(client, 'before');
  await ready(client, 'before');

  await first.kill9();

  await create(client, 'after');
  await ready(client, 'after');
  await ready(client, 'before');
  const { items } = await platform.list<Cluster>(clusters.ref);
  assert.equal(items.filter(({ spec }) => spec.purposes.includes('mcp')).length, 2);
  for (const name of ['before', 'after']) await client.delete({ ...planes, name });
  await eventually(async () => (await client.list(planes)).items.length === 0, patience);
});
