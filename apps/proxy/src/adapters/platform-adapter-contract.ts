import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { PlatformAdapter, PlatformBroker } from '../ports.ts';

/** A platform to try an adapter on. */
export interface AdapterWorld extends AsyncDisposable {
  readonly adapter: PlatformAdapter;
  /** Two addresses below which the platform finds a catalog. */
  readonly urls: readonly [string, string];
}

const credentials = { username: 'admin', password: 'broker-password' };

/** What every platform must do for a proxy. */
export function platformAdapterContract(name: string, open: () => Promise<AdapterWorld>): void {
  const find = async (adapter: PlatformAdapter, wanted: string): Promise<PlatformBroker> =>
    eventually(async () => (await adapter.listBrokers()).find(broker => broker.name === wanted), {
      what: `broker ${wanted} at the platform`,
    });
  const names = async (adapter: PlatformAdapter): Promise<string[]> =>
    (await adapter.listBrokers()).map(broker => broker.name).sort();

  test(`${name}: a broker that was created is listed with its address`, async () => {
    await using deps = await open();
    const { adapter, urls } = deps;
    const brokerName = adapter.platformName('sm-Pg_one-id-1');
    await adapter.createBroker({ brokerId: 'id-1', name: brokerName, url: urls[0], credentials });
    assert.equal((await find(adapter, brokerName)).url, urls[0]);
  });

  test(`${name}: an update moves a broker, and a rename leaves one broker`, async () => {
    await using deps = await open();
    const { adapter, urls } = deps;
    await adapter.createBroker({ brokerId: 'id-1', name: 'sm-old-id-1', url: urls[0], credentials });
    const current = await find(adapter, 'sm-old-id-1');
    await adapter.updateBroker(current, { brokerId: 'id-1', name: 'sm-old-id-1', url: urls[1] });
    assert.equal((await find(adapter, 'sm-old-id-1')).url, urls[1]);
    await adapter.updateBroker(current, { brokerId: 'id-1', name: 'sm-new-id-1', url: urls[1] });
    await eventually(async () => (await names(adapter)).join() === 'sm-new-id-1', { what: 'the renamed broker alone' });
    await adapter.refetchCatalog(await find(adapter, 'sm-new-id-1'));
  });

  test(`${name}: brokers can be deleted twice, and others stay`, async () => {
    await using deps = await open();
    const { adapter, urls } = deps;
    await adapter.createBroker({ brokerId: 'id-1', name: 'sm-one-id-1', url: urls[0], credentials });
    await adapter.createBroker({ brokerId: 'id-2', name: 'sm-two-id-2', url: urls[1], credentials });
    const broker = await find(adapter, 'sm-one-id-1');
    await adapter.deleteBroker(broker, 'id-1');
    await eventually(async () => (await names(adapter)).join() === 'sm-two-id-2', { what: 'one broker' });
    await adapter.deleteBroker(broker, 'id-1');
  });

  test(`${name}: access can be changed as often as one likes`, async () => {
    await using deps = await open();
    const { adapter, urls } = deps;
    await adapter.createBroker({ brokerId: 'id-1', name: 'sm-one-id-1', url: urls[0], credentials });
    const broker = await find(adapter, 'sm-one-id-1');
    const [from] = await adapter.listAccess([broker]);
    if (adapter.scopeLabel === undefined) return assert.equal(from, undefined);
    assert.ok(from);
    const states = [
      { isPublic: true, scopes: [] },
      { isPublic: false, scopes: ['org-a', 'org-b'] },
      { isPublic: false, scopes: ['org-b'] },
      { isPublic: false, scopes: [] },
      { isPublic: true, scopes: [] },
      { isPublic: false, scopes: [] },
    ];
    let current = from;
    for (const state of states) {
      await adapter.changeAccess({ from: current, to: { ...from, ...state } });
      const [now] = await adapter.listAccess([broker], [from.catalogPlanId]);
      assert.deepEqual({ isPublic: now?.isPublic, scopes: [...(now?.scopes ?? [])] }, state);
      if (now !== undefined) current = now;
    }
  });
}
