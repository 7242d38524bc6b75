import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectRefusal, type HostileLandscape, startHostileLandscape } from './support/hostile-landscape.ts';
import { configMap, corePath, expectStatus } from './support/objects.ts';

let hostile: HostileLandscape;

before(async () => {
  hostile = await startHostileLandscape();
});
after(async () => {
  await hostile?.expectHealthy();
  await hostile?.[Symbol.asyncDispose]();
});

const maps = `${corePath('shop', 'default')}/configmaps`;

/** As administrator, who would be shown whatever is there. */
const paths: readonly (readonly [string, number])[] = [
  ['/clusters/../metrics', 404],
  ['/clusters/%2e%2e/metrics', 404],
  ['/clusters/..%2fmetrics', 404],
  ['/clusters/..%2f..%2fetc%2fpasswd', 404],
  ['/clusters/%252e%252e/api', 404],
  ['/clusters/..%5c..%5cwindows', 404],
  ['/clusters/shop/../platform/api', 404],
  ['/clusters/shop/%2e%2e/platform/api', 404],
  ['/clusters/shop/api/v1/namespaces/../../../../metrics', 404],
  ['/clusters/shop%2fapi', 404],
  ['/clusters/shop%00/api', 404],
  ['/clusters/shop%20/api', 404],
  ['/clusters/shop%20x/api', 404],
  ['/clusters/shop%0a/api', 404],
  ['/clusters/SHOP/api', 404],
  ['/clusters/sh%6Fp/api', 200],
  ['/clusters//api', 404],
  ['/clusters/./api', 404],
  ['/clusters/*/api', 404],
  ["/clusters/'%20or%201=1--/api", 404],
  ['/clusters/__proto__/api', 404],
  ['/clusters/constructor/api', 404],
  ['/clusters/%/api', 400],
  ['/clusters/%zz/api', 400],
  ['/clusters/%ff/api', 400],
  ['/clusters/%c0%ae%c0%ae/api', 400],
  ['/clusters/shop//api', 404],
  ['/clusters/shop/api//v1', 404],
  ['/clusters/shop/apis/__proto__/v1', 404],
  ['/clusters/shop/apis/constructor/v1/things', 404],
  ['/clusters/shop/api/v1/__proto__', 404],
  ['/clusters/shop/api/v1/constructor', 404],
  ['/clusters/shop/openapi/v3/apis/__proto__/v1', 404],
  ['/clusters/shop/openapi/v3/../../api', 404],
  ['/clusters/shop/api/v1/namespaces/default%2fconfigmaps', 404],
  [`${maps}/%00`, 404],
  [`${maps}/%2e%2e`, 404],
  [`${maps}/..%2f..%2fsecrets`, 404],
  [`${maps}/${'a'.repeat(12_000)}`, 404],
  [`/clusters/${'a'.repeat(12_000)}/api`, 404],
  [`${maps}/x/status`, 404],
  [`${maps}/x/y/z`, 404],
];

for (const [path, status] of paths) {
  test(`${path.slice(0, 80)} is answered ${status}`, async () => {
    expectRefusal(await hostile.admin.send(path), [status], path);
  });
}

test('addresses that are too long are rejected', async () => {
  assert.equal((await hostile.admin.send(`${maps}?labelSelector=${'a'.repeat(20_000)}`)).status, 414);
  assert.equal((await hostile.admin.send(`${maps}?labelSelector=${'a'.repeat(40_000)}`)).status, 431);
});

test('nothing is created in a place whose name only begins like a real one', async () => {
  for (const odd of ['default%20x', 'default%00', 'default%20', 'DEFAULT', '%2e%2e', 'default%2f', 'default%0a']) {
    const path = `/clusters/shop/api/v1/namespaces/${odd}/configmaps`;
    expectRefusal(await hostile.admin.send(path, { body: configMap('x') }), [400, 404, 422], odd);
  }
  const { items } = (await hostile.admin.send(`${corePath('shop')}/configmaps`)).json();
  assert.deepEqual(items, []);
});

test('no logical cluster gets a name that is not one', async () => {
  const path = '/clusters/platform/apis/core.chandlery.io/v1alpha1/logicalclusters';
  for (const name of ['..', 'a/b', 'a b', 'A', '', '-a', 'a.b', 'a%2fb', '\u0000', 'ä', 'x'.repeat(64), '__proto__']) {
    const body = { apiVersion: 'core.chandlery.io/v1alpha1', kind: 'LogicalCluster', metadata: { name } };
    expectRefusal(await hostile.admin.send(path, { body }), [400, 422], JSON.stringify(name));
  }
});

const queries: readonly (readonly [string, readonly number[]])[] = [
  ['limit=x', [400]],
  ['limit=1e9', [400]],
  ['limit=99999999999999999999', [400]],
  ['limit=-1', [200]],
  ['resourceVersion=abc', [400]],
  ['resourceVersion=-1', [400]],
  ['resourceVersion=99999999999999999999', [400]],
  ['resourceVersionMatch=Exact', [422]],
  ['resourceVersion=0&resourceVersionMatch=Sometimes', [422]],
  ['continue=abc', [400]],
  ['continue=%00', [400]],
  ['continue=WzEsIi0xIl0', [400]],
  ['continue=WzEsLTEsbnVsbCxudWxsLG51bGxd', [400]],
  ['fieldSelector=a', [400]],
  ['fieldSelector=spec.secret%3Dx', [400]],
  ['fieldSelector=__proto__%3Dx', [400]],
  ['labelSelector=%28%28%28', [400]],
  ['labelSelector=a%20in%20%28', [400]],
  ['labelSelector=%F0%9F', [400]],
  ['labelSelector=constructor', [200]],
  ['labelSelector=__proto__%3Dx', [400]],
  ['%=%', [200]],
  ['&&&&====', [200]],
  ['watch=true&resourceVersion=abc', [400]],
  ['watch=true&timeoutSeconds=soon', [400]],
  // As in Kubernetes, anything but false and 0 is true.
  ['watch=true&allowWatchBookmarks=perhaps&timeoutSeconds=1', [200]],
  ['watch=true&sendInitialEvents=true', [400, 422]],
  ['watch=true&limit=1&resourceVersion=x', [400]],
];

for (const [query, codes] of queries) {
  test(`a list with ?${query} is answered ${codes.join(' or ')}`, async () => {
    expectRefusal(await hostile.admin.send(`${maps}?${query}`), codes, query);
  });
}

test('a selector on a name that every JavaScript object has finds nothing', async () => {
  expectStatus(await hostile.admin.send(maps, { body: configMap('plain') }), 201);
  for (const key of ['constructor', 'toString', 'hasOwnProperty']) {
    const { items } = (await hostile.admin.send(`${maps}?labelSelector=${key}`)).json();
    assert.deepEqual(items, [], key);
  }
});

test('write parameters that are not known are rejected', async () => {
  const many = 'x'.repeat(200);
  for (const query of ['dryRun=Some', 'fieldValidation=Lax', `fieldManager=${many}`, 'fieldManager=%00'])
    expectRefusal(await hostile.admin.send(`${maps}?${query}`, { body: configMap('odd') }), [400, 422], query);
  for (const query of ['gracePeriodSeconds=x', 'propagationPolicy=Never', 'dryRun=Some'])
    expectRefusal(await hostile.admin.send(`${maps}/plain?${query}`, { method: 'DELETE' }), [400, 422], query);
});
