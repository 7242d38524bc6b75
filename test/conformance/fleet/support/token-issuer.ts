import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT } from 'jose';

/** What a token says besides what every token has. */
export type Claims = Readonly<Record<string, unknown>>;

/** Three realms of one identity provider, with one key. */
export interface TokenIssuer extends AsyncDisposable {
  issuerOf(realm: string): string;
  /** Signs with RS256; claims replace the usual ones. */
  sign(realm: string, claims: Claims): Promise<string>;
}

/** Whom the tokens are meant for. */
export const audience = 'fleet';

/** Starts an identity provider on a free port of 127.0.0.1. */
export async function startTokenIssuer(): Promise<TokenIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', use: 'sig' }];
  const server = createServer((request, response) => {
    const [, realm = ''] = /^\/realms\/(\w+)\//.exec(request.url ?? '') ?? [];
    const isKeys = request.url?.endsWith('/keys') === true;
    const discovery = { issuer: issuerOf(realm), jwks_uri: `${issuerOf(realm)}/keys` };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isKeys ? { keys } : discovery));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuerOf = (realm: string): string => `http://127.0.0.1:${port}/realms/${realm}`;
  return {
    issuerOf,
    sign: (realm, claims) => {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: issuerOf(realm), aud: audience, typ: 'Bearer', iat: now, exp: now + 600 };
      return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
