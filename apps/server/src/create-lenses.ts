import { AuditLog, createHttpHost, type HttpHost } from '@chandlery/http';
import type { Kernel } from '@chandlery/kernel';
import { KubernetesLens } from '@chandlery/kubernetes';
import {
  auditLogTarget,
  type Logger,
  MetricsRegistry,
  type ServerConfig,
  ServiceAccountTokens,
  type Shutdown,
} from '@chandlery/platform';
import { addAdminRoutes, operatorGuard } from './admin-routes.ts';
import { createLandscapeAuthenticator } from './authentication.ts';
import type { DataFolder } from './data-folder.ts';
import { httpMetrics } from './metrics.ts';
import { readinessOf, readinessText } from './readiness.ts';
import { versionInfo } from './version.ts';

export interface LensParts {
  readonly kernel: Kernel;
  readonly folder: DataFolder;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** The host with every API on it, before it listens. */
export function createLenses(config: ServerConfig, { kernel, folder, logger, stopping }: LensParts): HttpHost {
  const { keys, adminToken } = folder;
  const tokens = new ServiceAccountTokens({ signingKey: keys.serviceAccountKey });
  const authenticator = createLandscapeAuthenticator({ kernel, adminToken, tokens, oidc: config.oidc });
  const audit = new AuditLog({ target: auditLogTarget(config), logger });
  stopping.add('audit log', () => audit.close());
  const readiness = readinessOf(kernel, stopping, config);
  const guard = operatorGuard(authenticator);
  const host: HttpHost = createHttpHost({
    logger,
    readiness,
    metrics: httpMetrics(new MetricsRegistry(), () => host.streamCount),
    authorizeOperator: guard,
  });
  new KubernetesLens({
    kernel,
    host,
    authenticator,
    audit,
    version: versionInfo,
    tokens: { issue: async request => tokens.issue(withoutDefaults(request)) },
    issuer: {
      configuration: cluster => issuerConfiguration(tokens.issuerOf(cluster)),
      keys: () => tokens.jwks(),
    },
    readiness: async isVerbose => readinessText(await readiness(), isVerbose),
  });
  addAdminRoutes(host, { kernel, keys, guard });
  return host;
}

const withoutDefaults = <T extends { audiences: readonly string[]; expirationSeconds: number | undefined }>({
  audiences,
  expirationSeconds,
  ...rest
}: T) => ({
  ...rest,
  ...(audiences.length === 0 ? {} : { audiences }),
  ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
});

const issuerConfiguration = (issuer: string): object => ({
  issuer,
  jwks_uri: `${issuer}/openid/v1/jwks`,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
});
