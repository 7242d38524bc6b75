import type { ClientRequest } from '../../ports.ts';

/** A client as Keycloak's admin API takes it: a service account and no way for people to log in. */
export const clientRepresentation = ({ clientId, name, instanceId, organisation }: ClientRequest) => ({
  clientId,
  name,
  description: `Service account of the instance ${instanceId}`,
  enabled: true,
  protocol: 'openid-connect',
  clientAuthenticatorType: 'client-secret',
  publicClient: false,
  serviceAccountsEnabled: true,
  standardFlowEnabled: false,
  implicitFlowEnabled: false,
  directAccessGrantsEnabled: false,
  protocolMappers: [claimMapper('org_id', organisation), claimMapper('instance_id', instanceId)],
});

/** Puts a fixed claim into the client's access tokens. */
const claimMapper = (claim: string, value: string) => ({
  name: claim,
  protocol: 'openid-connect',
  protocolMapper: 'oidc-hardcoded-claim-mapper',
  config: {
    'claim.name': claim,
    'claim.value': value,
    'jsonType.label': 'String',
    'access.token.claim': 'true',
  },
});
