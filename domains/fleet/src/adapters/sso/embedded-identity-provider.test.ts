import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { Keyring } from '@chandlery/platform';
import { type ClientStore, createMemoryClientStore } from './client-store.ts';
import { EmbeddedIdentityProvider } from './embedded-identity-provider.ts';
import { describeIdentityProviderContract } from './identity-provider-contract.ts';

const keyring = new Keyring([{ id: '0123456789abcdef', key: randomBytes(32) }]);
const create = (store: ClientStore = createMemoryClientStore()) => new EmbeddedIdentityProvider({ store, keyring });
const request = { clientId: 'canary-1', name: 'canary', instanceId: '1', organisation: 'acme' };

describeIdentityProviderContract('embedded', () => {
  const provider = create();
  return Promise.resolve({
    provider,
    logIn: async ({ clientId, clientSecret }) => {
      try {
        return (await provider.authenticate(clientId, clientSecret)).preferred_username;
      } catch (error) {
        if (isError(error, 'InvalidClient')) return undefined;
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
});

test('a token names the client, its instance and its organisation', async () => {
  const provider = create();
  const { clientSecret } = await provider.ensureClient(request);
  assert.deepEqual(await provider.authenticate('canary-1', clientSecret), {
    sub: 'service-account-canary-1',
    azp: 'canary-1',
    clientId: 'canary-1',
    preferred_username: 'service-account-canary-1',
    org_id: 'acme',
    instance_id: '1',
  });
});

test('an unknown client and a wrong secret are rejected in the same words', async () => {
  const provider = create();
  await provider.ensureClient(request);
  const messages = await Promise.all(
    [provider.authenticate('canary-1', ''), provider.authenticate('canary-2', '')].map(call =>
      call.catch((error: unknown) => (error as Error).message),
    ),
  );
  assert.deepEqual(
    messages,
    Array.from({ length: 2 }, () => 'the client is unknown or its secret is wrong'),
  );
});

test('the store never sees a secret, and a record moved to another client is useless', async () => {
  const store = createMemoryClientStore();
  const provider = create(store);
  const { clientSecret } = await provider.ensureClient(request);
  const record = await store.get('canary-1');
  assert.ok(record !== undefined && !JSON.stringify(record).includes(clientSecret));
  assert.ok(!Buffer.from(record.sealedSecret, 'base64').includes(Buffer.from(clientSecret, 'base64url')));
  await store.create({ ...record, clientId: 'canary-2' });
  await assert.rejects(provider.authenticate('canary-2', clientSecret));
});

test('two replicas that make the same client return the same secret', async () => {
  const shared = createMemoryClientStore();
  // Neither replica sees the other's client before it writes its own.
  const blind: ClientStore = { ...shared, get: () => Promise.resolve(undefined) };
  const [one, other] = await Promise.all([create(blind).ensureClient(request), create(blind).ensureClient(request)]);
  assert.deepEqual(one, other);
});
