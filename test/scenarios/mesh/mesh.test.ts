import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@chandlery/testing';
import { dialBackend, withCertificate, withoutCertificate, withoutTls } from './support/dial-backend.ts';
import { listOf, namespace, routes, service, split, target } from './support/shop-manifests.ts';
import { type ClusterName, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { type Shopper, type ShopperCall, summary } from './support/shopper.ts';

const permissionDenied = 7;
const unavailable = 14;

const failed = (calls: readonly ShopperCall[]): readonly ShopperCall[] => calls.filter(({ code }) => code !== 0);
const podsOf = (calls: readonly ShopperCall[]): string[] => [...new Set(calls.flatMap(({ pod }) => pod ?? []))].sort();
const assertNoneFailed = (calls: readonly ShopperCall[]): void => assert.equal(failed(calls).length, 0, summary(calls));

/** Within three standard deviations: one valid sample of about four hundred fails. */
function assertShare(hits: readonly boolean[], share: number): void {
  const expected = hits.length * share;
  const found = hits.filter(Boolean).length;
  const deviation = Math.sqrt(expected * (1 - share));
  assert.ok(Math.abs(found - expected) <= 3 * deviation, `${found} of ${hits.length}`);
}

/** A number of consecutive calls, to be sure that a state lasts. */
const some = 40;

const shopperId = 'URI:spiffe://cluster.local/tenant/shop-mesh/cluster/east/ns/shop/sa/shopper';

describe('A shop in a mesh of two clusters', () => {
  let world: ShopWorld;
  let shopper: Shopper;

  before(async () => {
    world = await startShopWorld();
    await world.on('east').apply(listOf(routes('/shop.Catalog/Get'), target('catalog')));
    await world.runBackends('catalog', 3, 'east');
    await world.endpoints('catalog', 3, 'east');
    shopper = await world.startShopper();
  });
  after(() => world?.[Symbol.asyncDispose]());

  const kubectl = (...args: readonly string[]): Promise<string> => world.on('east').run(...args, '-n', namespace);
  const scale = (replicas: number): Promise<string> => kubectl('scale', 'deployment/catalog', `--replicas=${replicas}`);

  /** Waits until the latest calls are all of one kind, and returns all since a mark. */
  async function settle(
    mark: number,
    is: (call: ShopperCall) => boolean,
    what: string,
  ): Promise<readonly ShopperCall[]> {
    const isSettled = (calls: readonly ShopperCall[]) => calls.length >= some && calls.slice(-some).every(is);
    try {
      return await shopper.until(mark, isSettled, what);
    } catch (cause) {
      throw new Error(`${String(cause)}; listeners: ${await world.listenerVersions()}`, { cause });
    }
  }

  /**
   * Each change of policies makes clients reconnect. A server of this library loses track of connections in the
   * handshake when the next change arrives: they keep the former policies.
   */
  const handshakes = (): Promise<void> => sleep(2000);

  /** Waits until the given number of pods respond, and returns all calls since a mark. */
  const answeredBy = (mark: number, count: number): Promise<readonly ShopperCall[]> =>
    shopper.until(mark, calls => podsOf(calls.slice(-some)).length === count, `answers of ${count} pods`);

  test('calls reach all backends, each of which knows the caller', async () => {
    const calls = await answeredBy(0, 3);
    assertNoneFailed(calls);
    assert.deepEqual([...new Set(calls.map(({ caller }) => caller))], [shopperId]);
  });

  test('a backend rejects callers without a certificate, and callers without access', async () => {
    const { port } = shopper.lastAnswer();
    const [friend, stranger] = [await world.certificate('shopper'), await world.certificate('stranger')];
    assert.equal(await dialBackend(port, withCertificate(friend)), 0);
    assert.equal(await dialBackend(port, withCertificate(stranger)), permissionDenied);
    assert.equal(await dialBackend(port, withoutCertificate(friend)), unavailable);
    assert.equal(await dialBackend(port, withoutTls()), unavailable);
  });

  test('more backends get their share, without a failed call', async () => {
    const mark = shopper.mark();
    await scale(5);
    assertNoneFailed(await answeredBy(mark, 5));
  });

  test('the end of a process fails its open calls, and none once its endpoint is removed', async () => {
    const mark = shopper.mark();
    const { pod, pid, port } = shopper.lastAnswer();
    process.kill(pid, 'SIGKILL');
    const isGone = async (): Promise<boolean> => !(await world.isHealthy('catalog', port));
    await eventually(isGone, { timeoutMs: 30_000, what: 'the endpoint to go' });
    const goneAt = Date.now();
    const isBack = (call: ShopperCall): boolean => call.pod === pod && call.pid !== pid;
    const calls = await shopper.until(mark, seen => seen.some(isBack), `pod ${pod} to answer again`);
    const isExcused = ({ code, begun }: ShopperCall): boolean => code === unavailable && begun < goneAt;
    assert.ok(failed(calls).every(isExcused), summary(calls));
  });

  test('a pod that is deleted ends what it has begun, without a failed call', async () => {
    const mark = shopper.mark();
    const { pod } = shopper.lastAnswer();
    await kubectl('delete', 'pod', pod);
    await settle(mark, call => call.pod !== pod, `no more answers of ${pod}`);
    assertNoneFailed(await answeredBy(mark, 5));
  });

  test('a split gives a canary its share, and then everything, without a failed call', async () => {
    const mark = shopper.mark();
    const isCanary = ({ pod = '' }: ShopperCall): boolean => pod.startsWith('catalog-canary-');
    const east = world.on('east');
    await world.runBackends('catalog-canary', 1, 'east');
    await east.apply(listOf(target('catalog-canary'), service('catalog-stable', 'catalog')));
    await world.endpoints('catalog-canary', 1, 'east');
    await world.endpoints('catalog-stable', 5, 'east');
    await east.apply(split({ 'catalog-stable': 90, 'catalog-canary': 10 }));
    await shopper.until(mark, calls => calls.some(isCanary), 'an answer of the canary');
    assertShare((await shopper.more(400)).map(isCanary), 0.1);
    await east.apply(split({ 'catalog-stable': 0, 'catalog-canary': 1 }));
    await settle(mark, isCanary, 'answers of the canary alone');
    await kubectl('delete', 'trafficsplit', 'catalog-rollout');
    assertNoneFailed(await settle(mark, call => !isCanary(call), 'no more answers of the canary'));
  });

  test('a call that no rule names is denied by the backend, until one does', async () => {
    await world.on('east').apply(routes('/shop.Catalog/List'));
    await settle(shopper.mark(), ({ code }) => code === permissionDenied, 'calls to be denied');
    await handshakes();
    await world.on('east').apply(routes('/shop.Catalog/Get'));
    await settle(shopper.mark(), ({ code }) => code === 0, 'calls to be allowed again');
  });

  test('without a target nothing gets through, past the mesh neither; with it everything does', async () => {
    const { port } = shopper.lastAnswer();
    const friend = withCertificate(await world.certificate('shopper'));
    await kubectl('delete', 'traffictarget', 'shopper-to-catalog');
    const calls = await settle(shopper.mark(), ({ code }) => code !== 0, 'calls to be refused');
    const refusals = failed(calls).every(({ code }) => code === permissionDenied || code === unavailable);
    assert.ok(refusals, summary(calls));
    assert.equal(await dialBackend(port, friend), permissionDenied);
    await handshakes();
    await world.on('east').apply(target('catalog'));
    await settle(shopper.mark(), ({ code }) => code === 0, 'calls to be allowed again');
  });

  test('another cluster takes over when the nearest has no backend, and gives back, without a failed call', async () => {
    const mark = shopper.mark();
    const isIn = (name: ClusterName) => (call: ShopperCall) => call.cluster === name;
    await world.runBackends('catalog', 2, 'west');
    await world.endpoints('catalog', 2, 'west');
    assert.ok((await shopper.more(some)).every(isIn('east')), 'calls stay near');
    await scale(0);
    assertNoneFailed(await settle(mark, isIn('west'), 'calls to go west'));
    await scale(2);
    assertNoneFailed(await settle(mark, isIn('east'), 'calls to come back'));
    assert.deepEqual(podsOf(shopper.since(mark).filter(isIn('west'))).length, 2, 'both in the west had calls');
  });

  test('no call without a certificate succeeded', () => {
    const answered = shopper.since(0).filter(({ code }) => code === 0);
    assert.deepEqual([...new Set(answered.map(({ caller }) => caller))], [shopperId]);
  });

  test('no client rejected any configuration', async () => {
    const { clients, refused } = await world.refusals();
    assert.ok(clients > 1, `${clients} clients, where there should be a shopper and backends`);
    assert.deepEqual(refused, []);
  });
});
