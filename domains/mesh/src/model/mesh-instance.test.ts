import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brokerKinds } from '@chandlery/brokers/kinds';
import { mayConsume, serviceOfInstance } from './mesh-instance.ts';

describe('the service of an instance', () => {
  const cases: readonly { why: string; id: string; spec: { name?: string; platformId?: string }; wanted: RegExp }[] = [
    { why: 'has its name', id: '8f2c', spec: { name: 'db' }, wanted: /^acme\/db$/ },
    { why: 'has its id when it has no name', id: 'db', spec: {}, wanted: /^acme\/db$/ },
    {
      why: 'has a hash for a name that is no DNS label',
      id: 'a',
      spec: { name: 'My DB' },
      wanted: /^acme\/i-[0-9a-f]{12}$/,
    },
    {
      why: 'has a hash where names are not unique',
      id: 'a',
      spec: { name: 'db', platformId: 'cf' },
      wanted: /^acme\/i-/,
    },
    {
      why: 'cannot have the hash of another one',
      id: 'a',
      spec: { name: 'i-0123456789ab' },
      wanted: /^acme\/i-(?!0123456789ab)/,
    },
  ];
  for (const { why, id, spec, wanted } of cases)
    test(why, () => {
      const { namespace, name } = serviceOfInstance(
        brokerKinds.instances.object({ name: id, namespace: 'acme' }, spec),
      );
      assert.match(`${namespace}/${name}`, wanted);
    });
});

test('bindings give access to accounts of their tenant, or of namespaces that the mesh names', () => {
  const to = (namespace: string) => ({ tenant: 'acme', consumer: { namespace } });
  const every = [{ tenant: '*' }];
  assert.deepEqual([mayConsume(every, to('acme')), mayConsume(every, to('umbrella'))], [true, false]);
  const shop = [{ tenant: 'acme', namespaces: ['default'] }, { tenant: 'umbrella' }];
  assert.deepEqual(
    ['default', 'acme', 'umbrella'].map(name => mayConsume(shop, to(name))),
    [true, false, false],
  );
  assert.equal(mayConsume([], to('acme')), false);
});
