import assert from 'node:assert/strict';
import { test } from 'node:test';
import { productNames } from '../../model/product-names.ts';
import type { ProductRow } from '../../registry/fleet-registry.ts';
import { OpenApiCache } from './openapi-cache.ts';

const row = (id: string, revision: number): ProductRow => ({
  id,
  tenant: '',
  uid: id,
  revision,
  generation: revision,
  createdAt: '',
  updatedAt: '',
  isDeleting: false,
  hasFinalizer: false,
  spec: { kind: id.toUpperCase(), configuration: {} },
  status: {},
});

test('a document is built once per revision of its products', () => {
  const built: string[] = [];
  const landscape = { names: productNames({ id: 'fleet', kind: 'Fleet' }), routes: [] };
  const cache = new OpenApiCache({
    productRoutes: [],
    landscape,
    build: (title, apis) => {
      built.push(`${title}: ${apis.map(({ names }) => names.collection).join()}`);
      return { number: built.length };
    },
  });
  const [cats, dogs] = [row('cats', 1), row('dogs', 1)];
  for (let time = 0; time < 3; time++) cache.ofProduct(cats);
  for (let time = 0; time < 3; time++) cache.ofAll([cats, dogs]);
  assert.equal(cache.ofProduct(dogs), cache.ofProduct(dogs));
  assert.deepEqual(built, ['CATS fleet manager: cats', 'Fleet manager: cats,dogs,fleet', 'DOGS fleet manager: dogs']);
  assert.notEqual(cache.ofProduct(row('cats', 2)), cache.ofProduct(cats));
  assert.notEqual(cache.ofAll([row('cats', 2), dogs]), cache.ofAll([cats, dogs]));
});
