import assert from 'node:assert/strict';
import type { LookupAddress, lookup } from 'node:dns';
import { test } from 'node:test';
import { brokerAddressPolicy } from '../../model/catalog/address-policy.ts';
import { checkedLookup, isAddressRejection } from './checked-lookup.ts';

const addresses = brokerAddressPolicy({ allowedBrokerAddresses: [], allowLoopbackBrokers: false });

const at = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 });

/** Resolves a name with resolvers that give one result after another. */
function resolver(...results: readonly (readonly LookupAddress[])[]) {
  const remaining = [...results];
  const resolve = (_name: string, _options: object, done: (error: null, found: readonly LookupAddress[]) => void) =>
    done(null, remaining.shift() ?? []);
  const checked = checkedLookup(addresses, resolve as unknown as typeof lookup);
  return (all: boolean): Promise<unknown> =>
    new Promise((found, fail) => {
      checked('broker.example', { all }, (error, address) => (error === null ? found(address) : fail(error)));
    });
}

test('a name that is public once and private the next time is judged each time', async () => {
  const resolve = resolver([at('8.8.8.8')], [at('169.254.169.254')]);
  assert.equal(await resolve(false), '8.8.8.8');
  await assert.rejects(resolve(false), error => isAddressRejection(error) && /metadata/.test(error.message));
});

test('of several addresses only those are connected to that may be called', async () => {
  const both = [at('10.0.0.1'), at('2606:4700::1111'), at('8.8.8.8')];
  const resolve = resolver(both, both, [at('10.0.0.1'), at('fd00::1')]);
  assert.deepEqual(await resolve(true), [at('2606:4700::1111'), at('8.8.8.8')]);
  assert.equal(await resolve(false), '2606:4700::1111');
  await assert.rejects(resolve(true), isAddressRejection);
});

test('the message does not contain the resolved address', async () => {
  const resolve = resolver([at('10.9.8.7')]);
  await assert.rejects(resolve(false), (error: Error) => !error.message.includes('10.9.8.7'));
});
