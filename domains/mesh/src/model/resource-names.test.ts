import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type DialledService, dialledNames, parseDialledService } from './resource-names.ts';

const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/);

test('a service is found again by each name that it is dialled by, with and without a port', () => {
  const port = fc.integer({ min: 1, max: 65_535 });
  fc.assert(
    fc.property(label, label, port, (namespace, name, number) => {
      const service = { namespace, name };
      for (const dialled of dialledNames(service)) {
        assert.deepEqual(parseDialledService(dialled), { service });
        assert.deepEqual(parseDialledService(`${dialled}:${number}`), { service, port: number });
      }
    }),
  );
});

describe('what is dialled as', () => {
  const catalog = { namespace: 'shop', name: 'catalog' };
  const cases: readonly [string, DialledService | undefined][] = [
    ['shop/catalog', { service: catalog }],
    ['catalog.shop:8080', { service: catalog, port: 8080 }],
    ['catalog', undefined],
    ['catalog:80', undefined],
    ['catalog.shop.svc', undefined],
    ['10.0.0.1:80', undefined],
    ['.shop', undefined],
    ['catalog.', undefined],
    ['shop/', undefined],
    ['a/shop/catalog', undefined],
    ['catalog.shop:', undefined],
    ['catalog.shop:http', undefined],
    ['acme/shop/catalog|80', undefined],
    ['', undefined],
  ];
  for (const [text, wanted] of cases)
    test(`"${text}" is ${wanted === undefined ? 'no service' : JSON.stringify(wanted)}`, () =>
      assert.deepEqual(parseDialledService(text), wanted));
});
