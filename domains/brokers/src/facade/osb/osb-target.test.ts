import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SmError } from '../../errors.ts';
import { allowedFor, parseOsbTarget } from './osb-target.ts';

const long = 'x'.repeat(256);

describe('a path under /v1/osb', () => {
  const rows: readonly { path: string; route: object; why: string }[] = [
    { path: '/v2/catalog', route: { type: 'catalog' }, why: 'the catalog' },
    { path: '/v2/service_instances/i', route: { type: 'instance', instanceId: 'i' }, why: 'an instance' },
    { path: '/v2/service_instances/i/', route: { type: 'instance', instanceId: 'i' }, why: 'a slash at the end' },
    { path: '/v2/service_instances/a%2Fb', route: { type: 'instance', instanceId: 'a/b' }, why: 'an encoded id' },
    {
      path: '/v2/service_instances/i/last_operation',
      route: { type: 'instance-poll', instanceId: 'i' },
      why: 'a poll',
    },
    {
      path: '/v2/service_instances/i/service_bindings/b',
      route: { type: 'binding', instanceId: 'i', bindingId: 'b' },
      why: 'a binding',
    },
    {
      path: '/v2/service_instances/i/service_bindings/b/last_operation',
      route: { type: 'binding-poll', instanceId: 'i', bindingId: 'b' },
      why: 'a poll of a binding',
    },
    {
      path: '/v2/service_instances/i/service_bindings/b/adapt_credentials',
      route: { type: 'adapt-credentials', instanceId: 'i', bindingId: 'b' },
      why: 'credentials in another form',
    },
  ];
  for (const { path, route, why } of rows) {
    test(`knows ${why}`, () => {
      const target = parseOsbTarget(`/v1/osb/some%20broker${path}?a=%20b`);
      assert.deepEqual(target.route, route);
      assert.equal(target.brokerId, 'some broker');
      assert.equal(target.query, '?a=%20b');
    });
  }

  for (const path of [
    '',
    '/v2',
    '/v3/catalog',
    '/v2/catalog/x',
    '/v2/service_instances',
    '/v2/service_instances/i/service_bindings',
    '/v2/service_instances/i/other/b',
    '/v2/service_instances/i/service_bindings/b/other',
    '/v2/service_instances/i/service_bindings/b/last_operation/x',
  ]) {
    test(`has nothing under "${path}"`, () => {
      const target = parseOsbTarget(`/v1/osb/b${path}`);
      assert.equal(target.route, undefined);
      assert.deepEqual(allowedFor(target), []);
    });
  }

  for (const id of ['.', '..', '%2e%2e', '%zz', long]) {
    test(`rejects the id ${id.slice(0, 10)}`, () => {
      assert.ok(parseOsbTarget(`/v1/osb/b/v2/service_instances/${id}`).route instanceof SmError);
      assert.ok(parseOsbTarget(`/v1/osb/b/v2/service_instances/i/service_bindings/${id}`).route instanceof SmError);
    });
  }

  test('goes to the broker as it came', () => {
    assert.equal(parseOsbTarget('/v1/osb/b/v2/service_instances/a%2Fb?x=1').path, '/v2/service_instances/a%2Fb');
  });
});
