import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import type { ClientCredentials, ClientRequest, IdentityProvider } from '../../ports.ts';

/** A provider to try, with a way to log in to it. */
export interface OpenedIdentityProvider extends AsyncDisposable {
  readonly provider: IdentityProvider;
  /** Logs in with the grant `client_credentials`; returns the user name in the token, undefined when rejected. */
  logIn(credentials: ClientCredentials): Promise<string | undefined>;
}

/** Describes what every identity provider does. */
export function describeIdentityProviderContract(
  title: string,
  open: () => Promise<OpenedIdentityProvider>,
  options: { readonly skip?: string | false } = {},
): void {
  describe(`identity provider: ${title}`, options, () => {
    let opened: OpenedIdentityProvider;
    before(async () => {
      opened = await open();
    });
    after(() => opened?.[Symbol.asyncDispose]());
    const request = (instanceId: string): ClientRequest => ({
      clientId: `canary-${instanceId}`,
      name: `canary of ${instanceId}`,
      instanceId,
      organisation: '13640203',
    });

    test('a client can log in as its service account', async () => {
      const credentials = await opened.provider.ensureClient(request('first'));
      assert.equal(credentials.clientId, 'canary-first');
      assert.ok(credentials.clientSecret.length >= 32);
      assert.equal(await opened.logIn(credentials), 'service-account-canary-first');
      assert.equal(await opened.logIn({ ...credentials, clientSecret: 'wrong' }), undefined);
    });

    test('a client that exists keeps its secret', async () => {
      const first = await opened.provider.ensureClient(request('again'));
      assert.deepEqual(await opened.provider.ensureClient(request('again')), first);
    });

    test('concurrent calls make one client', async () => {
      const calls = Array.from({ length: 5 }, () => opened.provider.ensureClient(request('race')));
      const [first, ...others] = await Promise.all(calls);
      for (const other of others) assert.deepEqual(other, first);
    });

    test('clients have different secrets', async () => {
      const [one, other] = await Promise.all(['one', 'other'].map(id => opened.provider.ensureClient(request(id))));
      assert.notEqual(one?.clientSecret, other?.clientSecret);
    });

    test('a removed client can no longer log in; removing it again is fine', async () => {
      const credentials = await opened.provider.ensureClient(request('removed'));
      await opened.provider.removeClient(credentials.clientId);
      await opened.provider.removeClient(credentials.clientId);
      await opened.provider.removeClient('canary-never-there');
      assert.equal(await opened.logIn(credentials), undefined);
    });

    test('a client that is made again has a new secret', async () => {
      const before = await opened.provider.ensureClient(request('anew'));
      await opened.provider.removeClient(before.clientId);
      const anew = await opened.provider.ensureClient(request('anew'));
      assert.notEqual(anew.clientSecret, before.clientSecret);
      assert.equal(await opened.logIn(anew), 'service-account-canary-anew');
    });

    test('an impossible client id is rejected for good', async () => {
      for (const clientId of ['', '../admin', 'a b', 'x'.repeat(300)])
        await assert.rejects(opened.provider.ensureClient({ ...request('bad'), clientId }), isTerminal, clientId);
    });
  });
}

const isTerminal = (error: unknown): boolean => isError(error, 'TerminalError');
