import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brokerKinds, consumerOf, readListening } from './index.ts';

describe('where something takes connections', () => {
  const good = { address: '10.0.0.1', port: 80 };
  const cases: readonly { why: string; value: unknown; wanted: unknown }[] = [
    { why: 'nothing', value: undefined, wanted: undefined },
    { why: 'no list', value: { endpoints: 'x' }, wanted: undefined },
    {
      why: 'only invalid endpoints',
      value: { endpoints: [{ address: 'db.example.com', port: 80 }] },
      wanted: undefined,
    },
    {
      why: 'what is valid',
      value: {
        cluster: 'east',
        serviceAccount: '',
        endpoints: [good, { ...good, port: 0 }, { ...good, port: 1.5 }, 7],
      },
      wanted: { cluster: 'east', endpoints: [good] },
    },
    {
      why: 'names, and IPv6',
      value: { serviceAccount: 'db', endpoints: [{ address: 'fd00::1', port: 443, name: 'https', more: 1 }] },
      wanted: { serviceAccount: 'db', endpoints: [{ address: 'fd00::1', port: 443, name: 'https' }] },
    },
  ];
  for (const { why, value, wanted } of cases) test(why, () => assert.deepEqual(readListening(value), wanted));
});

describe('the account that a binding names', () => {
  const cases: readonly {
    why: string;
    bindResource?: Record<string, unknown>;
    context?: Record<string, unknown>;
    wanted: unknown;
  }[] = [
    { why: 'none', wanted: undefined },
    { why: 'none in an application', bindResource: { app_guid: 'a' }, wanted: undefined },
    { why: 'no text', bindResource: { service_account: 7 }, wanted: undefined },
    { why: 'no name', bindResource: { service_account: 'shop/' }, wanted: undefined },
    { why: 'too many parts', bindResource: { service_account: 'a/b/c' }, wanted: undefined },
    { why: 'a whole name', bindResource: { service_account: 'shop/web' }, wanted: { namespace: 'shop', name: 'web' } },
    {
      why: 'with a cluster',
      bindResource: { service_account: 'shop/web', cluster: 'east' },
      wanted: { namespace: 'shop', name: 'web', cluster: 'east' },
    },
    {
      why: "a name in the tenant's namespace",
      bindResource: { service_account: 'web' },
      wanted: { namespace: 'acme', name: 'web' },
    },
    {
      why: 'a name in the namespace of the context',
      bindResource: { service_account: 'web' },
      context: { platform: 'kubernetes', namespace: 'default' },
      wanted: { namespace: 'default', name: 'web' },
    },
  ];
  for (const { why, bindResource, context, wanted } of cases)
    test(why, () => {
      const spec = { instanceId: 'db', ...(bindResource && { bindResource }) };
      const binding = brokerKinds.bindings.object({ name: 'b', namespace: 'acme' }, spec);
      assert.deepEqual(consumerOf({ ...binding, ...(context && { status: { context } }) }), wanted);
    });
});
