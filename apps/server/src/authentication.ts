import { toError } from '@chandlery/api';
import {
  type Authenticator,
  createAuthenticator,
  type Kernel,
  type ServiceAccountIdentity,
  type VerifiedCertificate,
} from '@chandlery/kernel';
import {
  type AdminToken,
  createOidcVerifier,
  type Logger,
  type OidcProviderConfig,
  type OidcVerifier,
  type ServiceAccountTokens,
  type SessionTokens,
} from '@chandlery/platform';

export interface AuthenticationDeps {
  readonly kernel: Kernel;
  readonly adminToken: AdminToken;
  readonly tokens: ServiceAccountTokens;
  readonly sessions: SessionTokens;
  readonly oidc: readonly OidcProviderConfig[];
  /** OpenID providers that cannot be reached now are named there. */
  readonly logger: Logger;
  /** Whether the authority of a client certificate is still trusted. Called for each request that shows one. Default: it is. */
  readonly acceptCertificate?: (certificate: VerifiedCertificate) => boolean;
}

/** The authenticator of the landscape: the administrator, service accounts, OpenID users, sessions, client certificates. */
export function createLandscapeAuthenticator({
  kernel,
  adminToken,
  tokens,
  sessions,
  oidc,
  logger,
  acceptCertificate,
}: AuthenticationDeps): Authenticator {
  const verifiers = oidc.map(provider => createOidcVerifier(provider));
  for (const verifier of verifiers) void warnUnlessReachable(verifier, logger);
  return createAuthenticator({
    adminToken,
    serviceAccounts: tokens,
    serviceAccountExists: (cluster, identity) => serviceAccountExists(kernel, cluster, identity),
    sessions,
    oidc: verifiers,
    ...(acceptCertificate && { acceptCertificate }),
  });
}

/** A provider may start later than the landscape, so this is no failure. */
async function warnUnlessReachable(verifier: OidcVerifier, logger: Logger): Promise<void> {
  const { issuer } = verifier;
  try {
    await verifier.check();
  } catch (thrown) {
    const { message, hint } = toError(thrown);
    logger.warn('its users are rejected until the OpenID provider can be reached', {
      issuer,
      error: message,
      ...(hint !== undefined && { hint }),
    });
  }
}

const bindableResources: Readonly<Record<string, string>> = { Pod: '/pods', Secret: '/secrets' };

/** A token dies with its service account, and with the object that it is bound to. */
async function serviceAccountExists(
  kernel: Kernel,
  cluster: string,
  identity: ServiceAccountIdentity,
): Promise<boolean> {
  const { namespace, name, uid, boundObject } = identity;
  if ((await uidOf(kernel, { cluster, resource: '/serviceaccounts', namespace, name })) !== uid) return false;
  if (boundObject === undefined) return true;
  const resource = bindableResources[boundObject.kind];
  return (
    resource !== undefined &&
    (await uidOf(kernel, { cluster, resource, namespace, name: boundObject.name })) === boundObject.uid
  );
}

async function uidOf(kernel: Kernel, key: Parameters<Kernel['store']['get']>[0]): Promise<string | undefined> {
  const stored = await kernel.store.get(key);
  return stored && kernel.read(stored).metadata.uid;
}
