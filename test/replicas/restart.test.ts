import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { clientOf } from '../durability/support/landscape-client.ts';
import { startReplicas } from './start-replicas.ts';

const domainsLease = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  namespace: 'kube-system',
  name: 'chandlery-domains',
};

interface HeldLease {
  readonly spec?: { readonly holderIdentity?: string; readonly renewTime?: string; readonly leaseTransitions?: number };
}

test('a single replica that is killed takes its own lease again without waiting for it to expire', async () => {
  await using replicas = await startReplicas(1);
  const [replica] = replicas.all as [(typeof replicas.all)[0]];
  await using client = clientOf(replica, 'platform');
  const read = () => client.get(domainsLease) as Promise<HeldLease>;
  const held = await eventually(async () => {
    const lease = await read();
    return (lease.spec?.holderIdentity ?? '') !== '' && lease;
  });
  await replica.kill9();
  await replica.restart();
  const taken = await eventually(async () => {
    const lease = await read();
    return lease.spec?.holderIdentity !== held.spec?.holderIdentity && lease;
  });
  assert.equal(taken.spec?.leaseTransitions, (held.spec?.leaseTransitions ?? 0) + 1);
});
