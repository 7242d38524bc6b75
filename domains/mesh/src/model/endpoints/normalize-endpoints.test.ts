import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compareEndpoints } from './endpoint-order.ts';
import { normalizeEndpoints } from './normalize-endpoints.ts';
import { endpointLists, someEndpoint } from './test-endpoints.ts';

describe('Tidying endpoints', () => {
  it('uses the healthiest of two descriptions', () => {
    const healthy = someEndpoint();
    const draining = someEndpoint({ health: 'draining' });
    const unhealthy = someEndpoint({ health: 'unhealthy' });
    assert.deepEqual(normalizeEndpoints([unhealthy, healthy, draining]), [healthy]);
    assert.deepEqual(normalizeEndpoints([unhealthy, draining]), [draining]);
  });

  it('uses the more complete of two equally healthy descriptions, in any order', () => {
    const known = someEndpoint({ serviceAccount: 'web', zone: 'a' });
    const others = [someEndpoint({ zone: 'b' }), someEndpoint({ serviceAccount: 'web', zone: 'b' }), someEndpoint()];
    assert.deepEqual(normalizeEndpoints([...others, known]), [known]);
    assert.deepEqual(normalizeEndpoints([known, ...others.toReversed()]), [known]);
  });

  it('keeps an address that serves two ports of the service', () => {
    const both = [someEndpoint({ portName: 'a' }), someEndpoint({ portName: 'b' })];
    assert.deepEqual(normalizeEndpoints(both.toReversed()), both);
  });

  it('gives the list itself back when nothing changed', () => {
    fc.assert(
      fc.property(endpointLists(), endpoints => {
        const before = normalizeEndpoints(endpoints);
        assert.equal(normalizeEndpoints(structuredClone(endpoints).reverse(), before), before);
      }),
    );
  });

  it('sorts, and keeps the objects of all unchanged endpoints', () => {
    fc.assert(
      fc.property(endpointLists(), endpointLists(), (first, second) => {
        const before = normalizeEndpoints(first);
        const after = normalizeEndpoints(
          [...structuredClone(first).filter((_, index) => index % 2 === 0), ...second],
          before,
        );
        assert.deepEqual(after, after.toSorted(compareEndpoints));
        for (const endpoint of after) {
          const known = before.find(one => compareEndpoints(one, endpoint) === 0);
          if (known !== undefined && JSON.stringify(known) === JSON.stringify(endpoint)) assert.equal(endpoint, known);
        }
      }),
    );
  });
});
