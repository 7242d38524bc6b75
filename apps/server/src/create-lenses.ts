import { Readable } from 'node:stream';
import { apiError } from '@chandlery/api';
import { type AuditLog, createHttpHost, credentialsOfRequest, type HttpHost, type HttpRequest } from '@chandlery/http';
import {
  type Authenticator,
  createKernelClient,
  isMaster,
  type Kernel,
  platformCluster,
  type UserInfo,
  type VerifiedCertificate,
  wellKnown,
  writeBackup,
} from '@chandlery/kernel';
import { KubernetesLens, type PodLogs } from '@chandlery/kubernetes';
import { meshServedKinds } from '@chandlery/mesh/kinds';
import {
  type AdminToken,
  adminTokenFile,
  type LandscapeKeys,
  type Logger,
  type MetricsRegistry,
  type ProcessIdentity,
  type ServerConfig,
  type ServiceAccountTokens,
  SessionTokens,
  type Shutdown,
  systemClock,
  type Tracer,
} from '@chandlery/platform';
import { createLandscapeAuthenticator } from './authentication.ts';
import { addAuthorityRoutes } from './authority/authority-routes.ts';
import { CertificateUsers } from './authority/certificate-users.ts';
import type { LandscapeAuthority } from './authority/landscape-authority.ts';
import { addConsoleRoutes, addLandscapeRoute, addSignInRoutes, ConsoleBuild, SignInCodes } from './console/index.ts';
import type { DataFolder } from './data-folder.ts';
import { readFormatFacts } from './data-format.ts';
import { addEncryptionRoutes } from './encryption/encryption-routes.ts';
import { httpMetrics, kernelMetrics } from './metrics.ts';
import { readinessOf, readinessText, type Startup } from './readiness.ts';
import type { ReadReplicas } from './replicas/open-replicas.ts';
import { versionInfo } from './version.ts';

export interface LensDeps {
  readonly kernel: Kernel;
  readonly folder: DataFolder;
  readonly identity: ProcessIdentity;
  readonly authority: LandscapeAuthority;
  readonly replicas: ReadReplicas;
  readonly tokens: ServiceAccountTokens;
  readonly registry: MetricsRegistry;
  readonly tracer: Tracer;
  readonly podLogs: PodLogs;
  readonly audit: AuditLog;
  readonly startup: Startup;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** The host with the Kubernetes API on it, before it listens, and what other lenses share with it. */
export interface Lenses {
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
}

/** Makes the host with the Kubernetes lens, the console and its sign-in. */
export function createLenses(
  config: ServerConfig,
  {
    kernel,
    folder,
    identity,
    authority,
    replicas,
    tokens,
    registry,
    tracer,
    podLogs,
    audit,
    startup,
    logger,
    stopping,
  }: LensDeps,
): Lenses {
  const { keys, adminToken } = folder;
  const sessions = new SessionTokens({ signingKey: keys.serviceAccountKey, clock: systemClock });
  const platform = stopping.use('client of lenses', createKernelClient(kernel, { cluster: platformCluster }));
  const users = stopping.use(
    'users of old certificates',
    new CertificateUsers({ client: platform, oldName: () => authority.oldName, clock: systemClock, logger }),
  );
  const authenticator = createLandscapeAuthenticator({
    ...{ kernel, adminToken, tokens, sessions, oidc: config.oidc, logger },
    acceptCertificate: certificate => acceptCertificate(certificate, authority, users),
  });
  const readiness = readinessOf(kernel, startup, stopping, config);
  kernelMetrics(registry, kernel);
  const guard = operatorGuard(authenticator);
  const host: HttpHost = createHttpHost({
    logger,
    readiness,
    metrics: httpMetrics(registry, () => host.streamCount),
    tracer,
    authorizeOperator: async request => void (await guard(request)),
  });
  new KubernetesLens({
    kernel,
    host,
    authenticator,
    audit,
    auditTrail: {
      read: query => audit.read(query),
      find: position => audit.find(position),
      ...(config.database !== undefined && { replica: identity.identity }),
    },
    version: versionInfo,
    podLogs,
    kindsServedByOthers: meshServedKinds,
    issuer: {
      configuration: cluster => issuerConfiguration(tokens.issuerOf(cluster)),
      keys: () => tokens.jwks(),
    },
    readiness: async isVerbose => readinessText(await readiness(), isVerbose),
  });
  const codes = new SignInCodes({ client: platform, clock: systemClock });
  addSignInRoutes(host, { kernel, authenticator, codes, sessions, serviceAccounts: tokens, clock: systemClock });
  addConsoleRoutes(host, { build: new ConsoleBuild(), oidc: config.oidc });
  addLandscapeRoute(host, config);
  addAdminRoutes(host, { kernel, keys, adminToken, guard });
  addEncryptionRoutes(host, { keys, store: kernel.store, guard });
  addAuthorityRoutes(host, { authority, users, replicas, guard, audit, clock: systemClock });
  return { host, authenticator };
}

/** A connection outlives the authority that its certificate was verified by: what has been dropped counts no more. */
function acceptCertificate(
  certificate: VerifiedCertificate,
  authority: LandscapeAuthority,
  users: CertificateUsers,
): boolean {
  if (!authority.isTrusted(certificate.issuer ?? '')) return false;
  users.note(certificate);
  return true;
}

const issuerConfiguration = (issuer: string): object => ({
  issuer,
  jwks_uri: `${issuer}/openid/v1/jwks`,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
});

/** Lets only those pass who run the landscape. */
const operatorGuard =
  (authenticator: Authenticator) =>
  async (request: HttpRequest): Promise<UserInfo> => {
    const user = await authenticator.authenticate(credentialsOfRequest(request), platformCluster);
    if (isMaster(user)) return user;
    const isAnonymous = user.username === wellKnown.anonymousUser;
    throw isAnonymous
      ? apiError('Unauthorized', "this takes the administrator's token")
      : apiError('Forbidden', `user "${user.username}" does not run this landscape`);
  };

interface AdminRoutesOptions {
  readonly kernel: Kernel;
  readonly keys: LandscapeKeys;
  readonly adminToken: AdminToken;
  readonly guard: (request: HttpRequest) => Promise<unknown>;
}

/** What only the operator may do: a backup of everything, taken while the landscape runs. */
function addAdminRoutes({ app }: HttpHost, { kernel, keys, adminToken, guard }: AdminRoutesOptions): void {
  app.get('/admin/backup', async (request, reply) => {
    await guard(request);
    const snapshot = await kernel.store.snapshot();
    const secrets = { ...keys.exportKeys(), [adminTokenFile]: `${adminToken.token}\n` };
    const facts = await readFormatFacts(kernel.store);
    const lines = writeBackup(snapshot, { keys: secrets, facts, createdAt: new Date() });
    return reply.header('content-type', 'application/gzip').send(Readable.from(lines));
  });
}
