import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canTakeTraffic, weightOf } from './endpoint-order.ts';
import { levelOf } from './level-of.ts';
import { splitEndpoints, type WeightedServiceEndpoints } from './split-endpoints.ts';
import { addressesOf, endpointLists, faultsOf, someEndpoint, viewpoints } from './test-endpoints.ts';

const from = { cluster: 'blue', region: 'eu' };
const endpointsAt = (prefix: string, count: number, more = {}) =>
  Array.from({ length: count }, (_, index) => someEndpoint({ ip: `${prefix}.${index + 1}`, ...more }));
const backend = (
  name: string,
  weight: number,
  endpoints: WeightedServiceEndpoints['endpoints'],
): WeightedServiceEndpoints => ({
  service: { namespace: 'shop', name },
  weight,
  endpoints,
});
const weightsOf = (backends: readonly WeightedServiceEndpoints[]) =>
  splitEndpoints(backends, from).map(({ priority, zone, subZone, weight }) => [priority, zone, subZone, weight]);

const backendLists = fc
  .array(fc.record({ weight: fc.integer({ min: 0, max: 100 }), endpoints: endpointLists(8) }), { maxLength: 4 })
  .map(list =>
    list.map(({ weight, endpoints }, index) =>
      backend(
        `b${index}`,
        weight,
        endpoints.map(endpoint => ({ ...endpoint, ip: `${endpoint.ip.slice(0, -1)}${index}` })),
      ),
    ),
  )
  // The last digit identifies the backend; merged ones are left out.
  .map(list => list.map(one => ({ ...one, endpoints: [...new Map(one.endpoints.map(e => [e.ip, e])).values()] })));

describe('Splitting by endpoints', () => {
  it('divides by the weights, with any number of endpoints', () => {
    assert.deepEqual(
      weightsOf([backend('v1', 80, endpointsAt('10.0.1', 3)), backend('v2', 20, endpointsAt('10.0.2', 1))]),
      [
        [0, 'blue', 'shop/v1', 4],
        [0, 'blue', 'shop/v2', 1],
      ],
    );
  });

  it('divides the part of a backend among its zones', () => {
    const zoned = [...endpointsAt('10.0.1', 2, { zone: 'a' }), ...endpointsAt('10.0.2', 1, { zone: 'b' })];
    assert.deepEqual(weightsOf([backend('v1', 1, zoned), backend('v2', 1, endpointsAt('10.0.3', 1, { zone: 'a' }))]), [
      [0, 'a', 'shop/v1', 2],
      [0, 'a', 'shop/v2', 3],
      [0, 'b', 'shop/v1', 1],
    ]);
  });

  it('holds the ratio also when a backend is only elsewhere', () => {
    const elsewhere = endpointsAt('10.0.2', 1, { cluster: 'red', region: 'us' });
    assert.deepEqual(weightsOf([backend('v1', 3, endpointsAt('10.0.1', 1)), backend('v2', 1, elsewhere)]), [
      [0, 'blue', 'shop/v1', 3],
      [0, 'red', 'shop/v2', 1],
    ]);
  });

  it('gives the part of a backend without fit endpoints to the others', () => {
    const ill = endpointsAt('10.0.2', 2, { health: 'unhealthy' });
    const leaving = endpointsAt('10.0.3', 2, { health: 'draining' });
    const v1 = backend('v1', 1, endpointsAt('10.0.1', 1));
    assert.deepEqual(weightsOf([v1, backend('v2', 99, ill), backend('v3', 5, leaving), backend('v4', 7, [])]), [
      [0, 'blue', 'shop/v1', 1],
    ]);
  });

  it('sends nothing to a backend of weight 0, and nothing anywhere when all are', () => {
    const v1 = backend('v1', 0, endpointsAt('10.0.1', 1));
    const v2 = backend('v2', 1, endpointsAt('10.0.2', 1));
    assert.deepEqual(weightsOf([v1, v2]), [[0, 'blue', 'shop/v2', 1]]);
    assert.deepEqual(weightsOf([v1]), []);
  });

  it('lists an address of two backends once', () => {
    const shared = endpointsAt('10.0.1', 2);
    const groups = splitEndpoints([backend('v2', 1, shared), backend('v1', 1, shared)], from);
    assert.deepEqual(
      groups.map(({ subZone }) => subZone),
      ['shop/v1'],
    );
    assert.deepEqual(faultsOf(groups), []);
  });

  it('rounds ratios beyond the range of clients, and drops no backend', () => {
    const primes = [9973, 9967, 9949, 9941, 9931];
    const fine = primes.map((count, index) =>
      backend(`v${index}`, count, [
        someEndpoint({ ip: `10.0.${index}.1`, weight: count, zone: 'a' }),
        someEndpoint({ ip: `10.0.${index}.2`, zone: 'b' }),
      ]),
    );
    const groups = splitEndpoints(fine, from);
    assert.deepEqual(faultsOf(groups), []);
    assert.equal(addressesOf(groups).length, 2 * primes.length);
    const total = groups.reduce((sum, { weight }) => sum + weight, 0);
    const wanted = 9973 / primes.reduce((sum, weight) => sum + weight, 0);
    const got =
      groups.filter(({ subZone }) => subZone === 'shop/v0').reduce((sum, { weight }) => sum + weight, 0) / total;
    assert.ok(Math.abs(got - wanted) < 1e-6, `${got} is not ${wanted}`);
  });

  it('produces only valid groups, in any order', () => {
    fc.assert(
      fc.property(backendLists, viewpoints, (backends, place) => {
        const groups = splitEndpoints(backends, place);
        assert.deepEqual(faultsOf(groups), []);
        const shuffled = backends.toReversed().map(one => ({ ...one, endpoints: one.endpoints.toReversed() }));
        assert.deepEqual(splitEndpoints(shuffled, place), groups);
      }),
    );
  });

  it('lists exactly the fit endpoints of backends with a weight', () => {
    fc.assert(
      fc.property(backendLists, viewpoints, (backends, place) => {
        const wanted = backends.flatMap(({ weight, endpoints }) =>
          weight === 0 ? [] : endpoints.filter(canTakeTraffic),
        );
        assert.deepEqual(
          addressesOf(splitEndpoints(backends, place)).toSorted(),
          wanted.map(({ ip, port }) => `${ip}:${port}`).toSorted(),
        );
      }),
    );
  });

  it('holds the ratios exactly: between backends by weight, between zones of one by its endpoints', () => {
    fc.assert(
      fc.property(backendLists, viewpoints, (backends, place) => {
        const first = splitEndpoints(backends, place).filter(({ priority }) => priority === 0);
        const total = BigInt(first.reduce((sum, { weight }) => sum + weight, 0));
        const taking = backends.filter(({ weight, endpoints }) => weight > 0 && endpoints.some(canTakeTraffic));
        const weights = BigInt(taking.reduce((sum, { weight }) => sum + weight, 0));
        for (const { service, weight, endpoints } of taking) {
          const fit = endpoints.filter(canTakeTraffic);
          const nearest = Math.min(...fit.map(endpoint => levelOf(endpoint, place)));
          const members = fit.filter(endpoint => levelOf(endpoint, place) === nearest);
          const all = BigInt(members.reduce((sum, endpoint) => sum + weightOf(endpoint), 0));
          for (const group of first.filter(({ subZone }) => subZone === `shop/${service.name}`)) {
            const part = BigInt(group.endpoints.reduce((sum, endpoint) => sum + weightOf(endpoint), 0));
            assert.equal(BigInt(group.weight) * weights * all, total * BigInt(weight) * part);
          }
        }
      }),
    );
  });
});
