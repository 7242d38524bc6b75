import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { dialBackend, withCertificate, withoutCertificate, withoutTls } from './support/dial-backend.ts';
import { listOf, namespace, routes, service, split, target } from './support/shop-manifests.ts';
import { type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { type Shopper, type ShopperCall, summary } from './support/shopper.ts';

const permissionDenied = 7;
const unavailable = 14;

const failed = (calls: readonly ShopperCall[]): readonly ShopperCall[] => calls.filter(({ code }) => code !== 0);
const podsOf = (calls: readonly ShopperCall[]): string[] => [...new Set(calls.flatMap(({ pod }) => pod ?? []))].sort();
const assertNoneFailed = (calls: readonly ShopperCall[]): void => assert.equal(failed(calls).length, 0, summary(calls));

/** Some calls in a row, to be sure that something holds from now on. */
const some = 40;

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

  /** Waits until the latest calls are all of a kind, and answers all since a mark. */
  const settle = (mark: number, is: (call: ShopperCall) => boolean, what: string): Promise<readonly ShopperCall[]> =>
    shopper.until(mark, calls => calls.length >= some && calls.slice(-some).every(is), what);

  /** Waits until all of so many pods, and no others, answer; answers all calls since a mark. */
  const answeredBy = (mark: number, count: number): Promise<readonly ShopperCall[]> =>
    shopper.until(mark, calls => podsOf(calls.slice(-some)).length === count, `answers of ${count} pods`);

  test('calls reach all backends, each of which knows who calls', async () => {
    const calls = await answeredBy(0, 3);
    assertNoneFailed(calls);
    const callers = new Set(calls.map(({ caller }) => caller));
    assert.deepEqual([...callers], ['URI:spiffe://cluster.local/tenant/shop-mesh/cluster/east/ns/shop/sa/shopper']);
  });

  test('a backend answers nobody without a certificate, and nobody who is not allowed to call', async () => {
    const { port = 0 } = shopper.since(0)[0] ?? {};
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

  test('the end of a process costs the calls that it had, and none after its endpoint is gone', async () => {
    const mark = shopper.mark();
    const { pod, pid = 0, port } = shopper.since(0).at(-1) ?? {};
    process.kill(pid, 'SIGKILL');
    await eventually(async () => !(await world.isHealthy('catalog', port)), { what: 'the endpoint to go' });
    const removedAt = Date.now();
    const isBack = (call: ShopperCall): boolean => call.pod === pod && call.pid !== pid;
    const calls = await shopper.until(mark, seen => seen.some(isBack), `pod ${pod} to answer again`);
    const lost = failed(calls);
    assert.ok(
      lost.every(({ code, begun }) => code === unavailable && begun < removedAt),
      summary(calls),
    );
    assertNoneFailed(await shopper.more(some));
  });

  test('a pod that is deleted ends what it has begun, without a failed call', async () => {
    const mark = shopper.mark();
    const { pod = '' } = shopper.since(0).at(-1) ?? {};
    await kubectl('delete', 'pod', pod);
    const calls = await shopper.until(
      mark,
      seen => podsOf(seen.slice(-some)).length === 5 && !podsOf(seen.slice(-some)).includes(pod),
      'answers of the new pod',
    );
    assertNoneFailed(calls);
  });

  test('a split gives a canary its share, without a failed call', async () => {
    const mark = shopper.mark();
    await world.runBackends('catalog-canary', 1, 'east');
    await world.on('east').apply(listOf(target('catalog-canary'), service('catalog-stable', 'catalog')));
    await world.endpoints('catalog-canary', 1, 'east');
    await world.endpoints('catalog-stable', 5, 'east');
    const isCanary = ({ pod = '' }: ShopperCall): boolean => pod.startsWith('catalog-canary-');
    await world.on('east').apply(split({ 'catalog-stable': 90, 'catalog-canary': 10 }));
    await shopper.until(mark, calls => calls.some(isCanary), 'an answer of the canary');
    const share = 0.1;
    const sample = await shopper.more(400);
    const deviation = Math.sqrt(sample.length * share * (1 - share));
    const distance = Math.abs(sample.filter(isCanary).length - sample.length * share);
    assert.ok(distance <= 3 * deviation, summary(sample));
    await kubectl('delete', 'trafficsplit', 'catalog-rollout');
    assertNoneFailed(await settle(mark, call => !isCanary(call), 'no more answers of the canary'));
  });

  test('a call that no rule names is denied, until one does', async () => {
    await world.on('east').apply(routes('/shop.Catalog/List'));
    await settle(shopper.mark(), ({ code }) => code === permissionDenied, 'calls to be denied');
    await world.on('east').apply(routes('/shop.Catalog/Get'));
    await settle(shopper.mark(), ({ code }) => code === 0, 'calls to be allowed again');
  });

  test('without a target nothing gets through, with it everything does', async () => {
    await kubectl('delete', 'traffictarget', 'shopper-to-catalog');
    const calls = await settle(shopper.mark(), ({ code }) => code !== 0, 'calls to be refused');
    const codes = new Set(failed(calls).map(({ code }) => code));
    assert.ok(codes.isSubsetOf(new Set([permissionDenied, unavailable])), summary(calls));
    await world.on('east').apply(target('catalog'));
    await settle(shopper.mark(), ({ code }) => code === 0, 'calls to be allowed again');
  });

  test('another cluster takes over when the nearest has no backend left, and gives back, without a failed call', async () => {
    const mark = shopper.mark();
    await world.runBackends('catalog', 2, 'west');
    await world.endpoints('catalog', 2, 'west');
    const isIn = (name: string) => (call: ShopperCall) => call.cluster === name;
    assert.ok((await shopper.more(some)).every(isIn('east')), 'calls stay near');
    await scale(0);
    assertNoneFailed(await settle(mark, isIn('west'), 'calls to go west'));
    await scale(2);
    assertNoneFailed(await settle(mark, isIn('east'), 'calls to come back'));
  });
});
