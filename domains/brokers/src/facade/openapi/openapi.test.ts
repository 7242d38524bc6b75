import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { startTestRest, type TestRest } from '../rest/test-rest.ts';

let rest: TestRest;
let document: JsonObject;
before(async () => {
  rest = await startTestRest();
  document = (await rest.ask('GET', '/openapi/service-manager.json', { as: '' })).body;
});
after(() => rest[Symbol.asyncDispose]());

const pathsOf = () => document['paths'] as Record<string, Record<string, JsonObject>>;

test('every documented route is served, with no method but the documented ones', async () => {
  for (const [path, item] of Object.entries(pathsOf())) {
    if (path.startsWith('/v1/osb') || path === '/v1/notifications') continue;
    const address = path.replace(/\{\w+\}/g, 'x');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status } = await rest.ask(method, address, { as: '' });
      assert.equal(status === 405, item[method.toLowerCase()] === undefined, `${method} ${path}: ${status}`);
      assert.notEqual(status, 500);
    }
  }
});

test('every reference leads somewhere and every operation has a name of its own', () => {
  const names = new Set<string>();
  for (const item of Object.values(pathsOf()))
    for (const operation of Object.values(item)) {
      assert.ok(!names.has(operation['operationId'] as string), operation['operationId'] as string);
      names.add(operation['operationId'] as string);
    }
  for (const [, kind = '', name = ''] of JSON.stringify(document).matchAll(/#\/components\/(\w+)\/([\w-]+)/g)) {
    const components = document['components'] as Record<string, JsonObject>;
    assert.ok(components[kind]?.[name] !== undefined, `${kind}/${name}`);
  }
});

test('the routes that go past the framework are documented too', () => {
  const paths = Object.keys(pathsOf());
  for (const path of [
    '/v1/notifications',
    '/v1/credentials',
    '/v1/credentials/{id}/activate',
    '/v1/osb/{brokerId}/v2/catalog',
    '/v1/osb/{brokerId}/v2/service_instances/{instanceId}/service_bindings/{bindingId}/adapt_credentials',
  ])
    assert.ok(paths.includes(path), path);
});

test('the schemas derived from the declared resources are those that clients were generated from', async () => {
  const recorded = JSON.parse(await readFile(new URL('./test-schemas.json', import.meta.url), 'utf8')) as JsonObject;
  const { schemas } = document['components'] as Record<string, JsonObject>;
  assert.deepEqual(schemas, recorded);
});
