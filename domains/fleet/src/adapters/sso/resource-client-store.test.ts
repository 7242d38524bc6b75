import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { Keyring } from '@chandlery/platform';
import { startTestPlane } from '@chandlery/testing';
import { ensureFleetNamespace } from '../../ensure-namespace.ts';
import { EmbeddedIdentityProvider } from './embedded-identity-provider.ts';
import { describeIdentityProviderContract } from './identity-provider-contract.ts';
import { createResourceClientStore } from './resource-client-store.ts';

const keyring = new Keyring([{ id: '0123456789abcdef', key: randomBytes(32) }]);

describeIdentityProviderContract('embedded, on resources', async () => {
  const plane = await startTestPlane();
  await ensureFleetNamespace(plane.client);
  const provider = new EmbeddedIdentityProvider({ store: createResourceClientStore(plane.client), keyring });
  return {
    provider,
    logIn: async ({ clientId, clientSecret }) => {
      try {
        return (await provider.authenticate(clientId, clientSecret)).preferred_username;
      } catch (error) {
        if (isError(error, 'InvalidClient')) return undefined;
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => plane[Symbol.asyncDispose](),
  };
});

test('two replicas that make a client at the same time have the same secret', async () => {
  await using plane = await startTestPlane();
  await ensureFleetNamespace(plane.client);
  const request = { clientId: 'a', name: 'a', instanceId: '1', organisation: 'o' };
  const replicas = [1, 2, 3].map(
    () => new EmbeddedIdentityProvider({ store: createResourceClientStore(plane.client), keyring }),
  );
  const secrets = await Promise.all(replicas.map(replica => replica.ensureClient(request)));
  assert.equal(new Set(secrets.map(({ clientSecret }) => clientSecret)).size, 1);
});
