import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { isError } from '@chandlery/api';
import { ManualClock } from '@chandlery/platform';
import { KeycloakIdentityProvider } from './keycloak-identity-provider.ts';

const request = { clientId: 'canary-1', name: 'canary', instanceId: '1', organisation: 'acme' };

interface Behaviour {
  /** Where it serves: `/auth` or nothing. */
  readonly prefix?: string;
  /** Statuses by `method path`, relative to the prefix. */
  readonly statuses?: Record<string, number>;
  readonly isSilent?: boolean;
}

/** A Keycloak that has one client, and says what was asked. */
async function startFakeKeycloak({ prefix = '', statuses = {}, isSilent = false }: Behaviour = {}) {
  const calls: string[] = [];
  const clock = new ManualClock();
  const bodies: Record<string, unknown> = {
    'POST /realms/fleet/protocol/openid-connect/token': { access_token: 'token', expires_in: 60 },
    'GET /admin/realms/fleet/clients': [{ id: 'uuid', clientId: 'canary-1' }],
    'GET /admin/realms/fleet/clients/uuid/client-secret': { value: 'the-secret' },
    'DELETE /admin/realms/fleet/clients/uuid': {},
  };
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    await text(incoming);
    const path = (incoming.url ?? '').split('?')[0] ?? '';
    calls.push(`${incoming.method} ${path}`);
    if (isSilent) return;
    const key = path.startsWith(prefix) ? `${incoming.method} ${path.slice(prefix.length)}` : '';
    const status = statuses[key] ?? (bodies[key] === undefined ? 404 : 200);
    response.writeHead(status).end(JSON.stringify(status === 200 ? bodies[key] : { error: 'unauthorized_client' }));
  };
  const server = createServer((incoming, response) => void answer(incoming, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const provider = new KeycloakIdentityProvider({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    realm: 'fleet',
    clientId: 'manager',
    clientSecret: 'top-secret',
    timeoutMs: 500,
    clock,
  });
  return {
    provider,
    calls,
    clock,
    statuses,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

const tokenPath = '/realms/fleet/protocol/openid-connect/token';
const logins = (calls: readonly string[]): number => calls.filter(call => call.endsWith(tokenPath)).length;

for (const prefix of ['/auth', '']) {
  test(`Keycloak is found at the base address with "${prefix}"`, async () => {
    await using keycloak = await startFakeKeycloak({ prefix });
    const credentials = await keycloak.provider.ensureClient(request);
    assert.deepEqual(credentials, { clientId: 'canary-1', clientSecret: 'the-secret' });
  });
}

test('a token is kept until it is about to expire', async () => {
  await using keycloak = await startFakeKeycloak({ prefix: '/auth' });
  await keycloak.provider.ensureClient(request);
  keycloak.clock.advance(49_000);
  await keycloak.provider.ensureClient(request);
  assert.equal(logins(keycloak.calls), 1);
  keycloak.clock.advance(2000);
  await keycloak.provider.ensureClient(request);
  assert.equal(logins(keycloak.calls), 2);
});

test('concurrent calls log in once', async () => {
  await using keycloak = await startFakeKeycloak({ prefix: '/auth' });
  await Promise.all(Array.from({ length: 5 }, () => keycloak.provider.ensureClient(request)));
  assert.equal(logins(keycloak.calls), 1);
});

test('a revoked token is replaced once', async () => {
  await using keycloak = await startFakeKeycloak({ prefix: '/auth' });
  await keycloak.provider.ensureClient(request);
  keycloak.statuses['GET /admin/realms/fleet/clients'] = 401;
  await assert.rejects(keycloak.provider.ensureClient(request), error => isError(error, 'TerminalError'));
  assert.equal(logins(keycloak.calls), 2);
});

const failures: readonly { why: string; behaviour: Behaviour; code: string; says: RegExp }[] = [
  { why: 'never answers', behaviour: { isSilent: true }, code: 'PeerUnavailable', says: /no answer within 500 ms/ },
  {
    why: 'is overloaded',
    behaviour: { statuses: { 'GET /admin/realms/fleet/clients': 503 } },
    code: 'PeerUnavailable',
    says: /503/,
  },
  {
    why: 'rejects our credentials',
    behaviour: { statuses: { [`POST ${tokenPath}`]: 401 } },
    code: 'TerminalError',
    says: /unauthorized_client/,
  },
  { why: 'has no such realm', behaviour: { prefix: '/elsewhere' }, code: 'TerminalError', says: /no realm "fleet"/ },
  {
    why: 'rejects the request',
    behaviour: { statuses: { 'GET /admin/realms/fleet/clients': 400 } },
    code: 'TerminalError',
    says: /400/,
  },
];
for (const { why, behaviour, code, says } of failures) {
  test(`a Keycloak that ${why} gives ${code}, without secrets`, async () => {
    await using keycloak = await startFakeKeycloak(behaviour);
    await assert.rejects(keycloak.provider.ensureClient(request), error => {
      assert.ok(isError(error, code), String(error));
      assert.match(error.message, says);
      assert.doesNotMatch(JSON.stringify([error.message, error.hint]), /top-secret|Bearer/);
      return true;
    });
  });
}

test('a client that cannot be removed is an error, so that it does not leak', async () => {
  const statuses = { 'DELETE /admin/realms/fleet/clients/uuid': 500 };
  await using keycloak = await startFakeKeycloak({ statuses });
  await assert.rejects(keycloak.provider.removeClient('canary-1'), error => isError(error, 'PeerUnavailable'));
});
