import {
  type BrokerAudit,
  type BrokerSettings,
  openServiceManager,
  readBrokerSettings,
  type ServiceManager,
} from '@chandlery/brokers';
import { brokersCluster, brokersGroup, type InternalBroker } from '@chandlery/brokers/kinds';
import type { AuditEntry, AuditLog, HttpHost } from '@chandlery/http';
import { type Authenticator, createKernelClient, type Kernel, platformCluster } from '@chandlery/kernel';
import {
  isLoopbackHost,
  type Logger,
  type LogSettings,
  type MetricsRegistry,
  type ServerConfig,
  type Shutdown,
} from '@chandlery/platform';
import { createProviderOfferings } from '@chandlery/providers';
import { createFindUser } from './find-user.ts';

/** What the service manager shares with the rest of the process. */
export interface ServiceManagerParts {
  readonly kernel: Kernel;
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
  readonly audit: AuditLog;
  /** What `/metrics` shows. */
  readonly registry: MetricsRegistry;
  readonly logger: Logger;
  readonly logSettings: LogSettings;
  readonly stopping: Shutdown;
  /** What other domains offer. Providers are added here; others when they are open. */
  readonly internalBrokers: Map<string, InternalBroker>;
}

/** Adds the service manager to the host, with what providers offer as an internal broker named `providers`. */
export async function startServiceManager(config: ServerConfig, parts: ServiceManagerParts): Promise<ServiceManager> {
  const { kernel, host, authenticator, audit, registry, logger, logSettings, stopping, internalBrokers } = parts;
  const settings = settingsOf(config);
  const client = stopping.use('client of the service manager', createKernelClient(kernel, { cluster: brokersCluster }));
  const platform = stopping.use('client of offerings', createKernelClient(kernel, { cluster: platformCluster }));
  const offerings = stopping.use('offerings', createProviderOfferings({ platform, onboarding: client, logger }));
  internalBrokers.set('providers', offerings);
  const serviceManager = await openServiceManager({
    client,
    host,
    findUser: createFindUser(kernel, authenticator),
    settings,
    internalBrokers,
    logging: { get: () => ({ ...logSettings }), set: changed => void Object.assign(logSettings, changed) },
    audit: entry => audit.record(auditEntry(entry)),
    checkStorage: () => kernel.store.check(),
    info: infoOf(config),
    logger: logger.child({ domain: 'brokers' }),
    metrics: registry,
  });
  return stopping.use('service manager', serviceManager);
}

/** The settings of the service manager, with what follows from those of the server. */
function settingsOf({ host, allowedBrokerAddresses, serviceManager }: ServerConfig): BrokerSettings {
  const settings = readBrokerSettings({ allowLoopbackBrokers: isLoopbackHost(host), ...serviceManager });
  const allowed = [...settings.allowedBrokerAddresses, ...allowedBrokerAddresses];
  return readBrokerSettings({ ...settings, allowedBrokerAddresses: allowed });
}

/** Clients log in at one place: the provider that is named first. */
function infoOf({ oidc: [provider] }: ServerConfig): { readonly tokenIssuerUrl?: string } {
  return provider === undefined ? {} : { tokenIssuerUrl: provider.issuer };
}

const auditEntry = ({ path, status, correlationId, ...entry }: BrokerAudit): AuditEntry => ({
  ...entry,
  time: new Date().toISOString(),
  id: correlationId,
  cluster: brokersCluster,
  group: brokersGroup,
  version: 'v1',
  resource: path,
  code: status,
});
