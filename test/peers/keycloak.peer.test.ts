// The contract of identity providers on a real Keycloak, which Maven brings.

import { findKeycloak, whySkipped } from '@chandlery/testing';
import { decodeJwt } from 'jose';
import { describeIdentityProviderContract } from '../../domains/fleet/src/adapters/sso/identity-provider-contract.ts';
import { KeycloakIdentityProvider } from '../../domains/fleet/src/adapters/sso/keycloak-identity-provider.ts';
import { fleetRealm, startKeycloak } from './support/keycloak.ts';

const keycloak = await findKeycloak();
const skip = whySkipped(keycloak);

describeIdentityProviderContract(
  'Keycloak',
  async () => {
    const server = await startKeycloak(keycloak.path ?? '');
    const provider = new KeycloakIdentityProvider({ ...fleetRealm, baseUrl: server.url, timeoutMs: 60_000 });
    return {
      provider,
      logIn: async ({ clientId, clientSecret }) => {
        const response = await fetch(server.tokenUrl, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: clientId,
            client_secret: clientSecret,
          }),
        });
        if (!response.ok) return undefined;
        const { access_token: token } = (await response.json()) as { access_token: string };
        return decodeJwt(token)['preferred_username'] as string;
      },
      async [Symbol.asyncDispose]() {
        await provider[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  },
  { skip },
);
