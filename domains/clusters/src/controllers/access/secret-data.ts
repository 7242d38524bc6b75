import { formatYaml } from '@chandlery/client';
import type { AccessRequest } from '../../kinds/index.ts';
import { kubeconfigOf } from '../../model/access/kubeconfig.ts';
import { type TokenLife, unixSeconds } from '../../model/access/token-life.ts';
import type { ClusterAddress } from '../../ports.ts';

type Data = Readonly<Record<string, string>>;
type OidcAccess = NonNullable<AccessRequest['spec']['oidc']>;

/** The data of the Secret of a token request, in plain text. */
export function tokenSecretData(request: AccessRequest, life: TokenLife, address: ClusterAddress): Data {
  const { token } = life;
  return {
    kubeconfig: formatYaml(kubeconfigOf(contextName(request), address, { type: 'token', token })),
    ...addressData(address),
    token,
    creationTimestamp: unixSeconds(life.issuedAt),
    expirationTimestamp: unixSeconds(life.expiresAt),
  };
}

/** The data of the Secret of a request for users of an identity provider. */
export function oidcSecretData(request: AccessRequest, oidc: OidcAccess, address: ClusterAddress): Data {
  const { issuer, clientID, extraScopes = [] } = oidc;
  const user = { type: 'oidc', issuer, clientID, extraScopes } as const;
  return {
    kubeconfig: formatYaml(kubeconfigOf(contextName(request), address, user)),
    ...addressData(address),
    clientID,
  };
}

const contextName = ({ spec, metadata }: AccessRequest): string => spec.clusterRef?.name ?? metadata.name ?? '';

const addressData = ({ server, caPem }: ClusterAddress): Data => ({
  host: server,
  ...(caPem === undefined ? {} : { 'ca.crt': caPem }),
});
