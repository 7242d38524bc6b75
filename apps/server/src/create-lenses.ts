import { type AuditLog, createHttpHost, type HttpHost } from '@chandlery/http';
import type { Authenticator, Kernel } from '@chandlery/kernel';
import { KubernetesLens, type PodLogs } from '@chandlery/kubernetes';
import { meshServedKinds } from '@chandlery/mesh/kinds';
import {
  type Logger,
  type MetricsRegistry,
  type ServerConfig,
  type ServiceAccountTokens,
  type Shutdown,
} from '@chandlery/platform';
import { addAdminRoutes, operatorGuard } from './admin-routes.ts';
import { createLandscapeAuthenticator } from './authentication.ts';
import type { DataFolder } from './data-folder.ts';
import { httpMetrics, storeMetrics } from './metrics.ts';
import { readinessOf, readinessText, type Startup } from './readiness.ts';
import { versionInfo } from './version.ts';

export interface LensParts {
  readonly kernel: Kernel;
  readonly folder: DataFolder;
  readonly tokens: ServiceAccountTokens;
  readonly registry: MetricsRegistry;
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

/** Makes the host and the Kubernetes lens. */
export function createLenses(
  config: ServerConfig,
  { kernel, folder, tokens, registry, podLogs, audit, startup, logger, stopping }: LensParts,
): Lenses {
  const { keys, adminToken } = folder;
  const authenticator = createLandscapeAuthenticator({ kernel, adminToken, tokens, oidc: config.oidc });
  const readiness = readinessOf(kernel, startup, stopping, config);
  storeMetrics(registry, kernel.store);
  const guard = operatorGuard(authenticator);
  const host: HttpHost = createHttpHost({
    logger,
    readiness,
    metrics: httpMetrics(registry, () => host.streamCount),
    authorizeOperator: guard,
  });
  new KubernetesLens({
    kernel,
    host,
    authenticator,
    audit,
    version: versionInfo,
    podLogs,
    kindsServedByOthers: meshServedKinds,
    issuer: {
      configuration: cluster => issuerConfiguration(tokens.issuerOf(cluster)),
      keys: () => tokens.jwks(),
    },
    readiness: async isVerbose => readinessText(await readiness(), isVerbose),
  });
  addAdminRoutes(host, { kernel, keys, adminToken, guard });
  return { host, authenticator };
}

const issuerConfiguration = (issuer: string): object => ({
  issuer,
  jwks_uri: `${issuer}/openid/v1/jwks`,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
});
