import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareEndpoints, endpointKey, isSameEndpoint } from './endpoint-order.ts';
import { mergeEndpoints } from './merge-endpoints.ts';
import { endpointLists, someEndpoint } from './test-endpoints.ts';

const sorted = endpointLists().map(list => list.toSorted(compareEndpoints));

describe('Merging the endpoints of several providers', () => {
  it('returns a single list unchanged', () => {
    const list = [someEndpoint()];
    assert.equal(mergeEndpoints([[], list, []]), list);
    assert.deepEqual(mergeEndpoints([]), []);
  });

  it('describes what two have as the first does', () => {
    const first = someEndpoint({ zone: 'a', source: 'pod web-1' });
    assert.deepEqual(mergeEndpoints([[first], [someEndpoint({ zone: 'b', source: 'proxy' })]]), [first]);
  });

  it('uses the worse health', () => {
    const ill = someEndpoint({ health: 'unhealthy' });
    const leaving = someEndpoint({ health: 'draining' });
    assert.deepEqual(mergeEndpoints([[someEndpoint()], [ill]]), [ill]);
    assert.deepEqual(mergeEndpoints([[ill], [someEndpoint()]]), [ill]);
    assert.deepEqual(mergeEndpoints([[leaving], [ill]]), [ill]);
  });

  it('does not merge the machines of different clusters', () => {
    const other = someEndpoint({ health: 'unhealthy', cluster: 'green' });
    assert.deepEqual(mergeEndpoints([[someEndpoint()], [other]]), [someEndpoint()]);
  });

  it('keeps an address that serves two ports of the service', () => {
    const both = [someEndpoint({ portName: 'grpc' }), someEndpoint({ portName: 'http' })];
    assert.deepEqual(mergeEndpoints([[someEndpoint({ portName: 'http' })], both]), both);
  });

  it('has everything that one of them has, once and sorted', () => {
    fc.assert(
      fc.property(fc.array(sorted, { maxLength: 4 }), lists => {
        const merged = mergeEndpoints(lists);
        const keys = merged.map(endpointKey);
        assert.deepEqual(new Set(keys), new Set(lists.flat().map(endpointKey)));
        assert.equal(new Set(keys).size, keys.length);
        assert.deepEqual(merged, merged.toSorted(compareEndpoints));
      }),
    );
  });
});

describe('Two endpoints', () => {
  it('are the same only if nothing differs', () => {
    const endpoint = someEndpoint({ region: 'eu', zone: 'a', weight: 2, serviceAccount: 'web', source: 'pod' });
    assert.ok(isSameEndpoint(endpoint, { ...endpoint }));
    for (const key of Object.keys(endpoint))
      assert.ok(!isSameEndpoint(endpoint, { ...endpoint, [key]: 'else' }), `${key} differs`);
  });
});
