import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OrdersError } from '../../errors.ts';
import { actorOf, type Scope } from '../handlers/call.ts';
import type { Caller } from './caller.ts';
import { scopeOf } from './tenancy.ts';

const access = { resource: 'queues', verb: 'list' } as const;

/** A caller who may list queues in some namespaces, and has other rights in others. */
const caller = (changes: Partial<Caller>, permitted: readonly string[] = []): Caller => ({
  username: 'ann',
  isOperator: false,
  ownNamespace: undefined,
  namespaces: () => [...permitted, 'elsewhere'],
  may: (verb, resource, namespace) => verb === 'list' && resource === 'queues' && permitted.includes(namespace),
  ...changes,
});

describe('the scope of a request', () => {
  const cases: readonly {
    readonly who: string;
    readonly caller: Caller;
    readonly requested?: string;
    readonly scope: Scope | 'forbidden';
  }[] = [
    { who: 'an operator', caller: caller({ isOperator: true }), scope: { tenants: 'all', home: 'default' } },
    {
      who: 'an operator for a namespace',
      caller: caller({ isOperator: true }),
      requested: 'a',
      scope: { tenants: ['a'], home: 'a' },
    },
    {
      who: 'a service account',
      caller: caller({ ownNamespace: 'a' }, ['a', 'b']),
      scope: { tenants: ['a'], home: 'a' },
    },
    { who: 'a service account without a role', caller: caller({ ownNamespace: 'a' }), scope: 'forbidden' },
    {
      who: 'a service account in another namespace',
      caller: caller({ ownNamespace: 'a' }, ['a', 'b']),
      requested: 'b',
      scope: 'forbidden',
    },
    { who: 'a user of one namespace', caller: caller({}, ['a']), scope: { tenants: ['a'], home: 'a' } },
    { who: 'a user of two', caller: caller({}, ['a', 'b']), scope: { tenants: ['a', 'b'], home: undefined } },
    {
      who: 'a user of two who names one',
      caller: caller({}, ['a', 'b']),
      requested: 'b',
      scope: { tenants: ['b'], home: 'b' },
    },
    { who: 'a user who names another one', caller: caller({}, ['a']), requested: 'elsewhere', scope: 'forbidden' },
    {
      who: 'a user with rights everywhere who names a namespace',
      caller: caller({ namespaces: () => [], may: () => true }),
      requested: 'a',
      scope: { tenants: ['a'], home: 'a' },
    },
    { who: 'a user without a role', caller: caller({}), scope: 'forbidden' },
  ];
  for (const { who, caller: each, requested, scope } of cases)
    test(`of ${who}`, () => {
      if (scope !== 'forbidden') return assert.deepEqual(scopeOf(each, access, requested), scope);
      return assert.throws(() => scopeOf(each, access, requested), { code: 'Orders:forbidden' });
    });

  test('says in which namespace something is created, or that the client has to', () => {
    assert.deepEqual(actorOf({ username: 'ann', scope: { tenants: ['a'], home: 'a' } }), {
      username: 'ann',
      tenant: 'a',
    });
    assert.throws(
      () => actorOf({ username: 'ann', scope: { tenants: ['a', 'b'], home: undefined } }),
      error => error instanceof OrdersError && error.restCode === 'namespace-required' && error.status === 400,
    );
  });
});
