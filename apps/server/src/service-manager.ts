import {
  type BrokerSettings,
  type FindUser,
  openServiceManager,
  readBrokerSettings,
  type ServiceManager,
  type UserCaller,
} from '@chandlery/brokers';
import { brokersCluster, brokersGroup, type InternalBroker } from '@chandlery/brokers/kinds';
import { type AuditLog, credentialsOfRequest, type HttpHost } from '@chandlery/http';
import {
  type Authenticator,
  type ClusterAccess,
  createKernelClient,
  isMaster,
  type Kernel,
  platformCluster,
  type UserInfo,
  wellKnown,
} from '@chandlery/kernel';
import {
  isLoopbackHost,
  type Logger,
  type LogSettings,
  type MetricsRegistry,
  type ServerConfig,
  type Shutdown,
  type Tracer,
} from '@chandlery/platform';
import { createProviderOfferings } from '@chandlery/providers';
import { type RestApi, restEntry } from './audit.ts';

/** What the service manager shares with the rest of the process. */
export interface ServiceManagerDeps {
  readonly kernel: Kernel;
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
  readonly audit: AuditLog;
  /** What `/metrics` shows. */
  readonly settings: BrokerSettings;
  readonly registry: MetricsRegistry;
  readonly tracer: Tracer;
  readonly logger: Logger;
  readonly logSettings: LogSettings;
  readonly stopping: Shutdown;
  /** What other domains offer. Providers are added here; others when they are open. */
  readonly internalBrokers: Map<string, InternalBroker>;
}

/** Adds the service manager to the host, with what providers offer as an internal broker named `providers`. */
export async function startServiceManager(config: ServerConfig, deps: ServiceManagerDeps): Promise<ServiceManager> {
  const {
    kernel,
    host,
    authenticator,
    audit,
    settings,
    registry,
    tracer,
    logger,
    logSettings,
    stopping,
    internalBrokers,
  } = deps;
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
    audit: entry => audit.record(restEntry(api, entry)),
    checkStorage: () => kernel.store.check(),
    info: infoOf(config),
    logger: logger.child({ domain: 'brokers' }),
    metrics: registry,
    tracer,
  });
  return stopping.use('service manager', serviceManager);
}

/** The settings of the service manager, with what follows from those of the server. */
export function brokerSettingsOf({ host, allowedBrokerAddresses, serviceManager }: ServerConfig): BrokerSettings {
  const settings = readBrokerSettings({ allowLoopbackBrokers: isLoopbackHost(host), ...serviceManager });
  const allowed = [...settings.allowedBrokerAddresses, ...allowedBrokerAddresses];
  return readBrokerSettings({ ...settings, allowedBrokerAddresses: allowed });
}

/** Clients log in at one place: the provider that is named first. */
function infoOf({ oidc: [provider] }: ServerConfig): { readonly tokenIssuerUrl?: string } {
  return provider === undefined ? {} : { tokenIssuerUrl: provider.issuer };
}

const api: RestApi = {
  cluster: brokersCluster,
  group: brokersGroup,
  version: 'v1',
  prefix: /^\/v1\/(osb\/[^/]*\/v2\/)?/,
};

/**
 * Identifies callers for the service manager: a user with all rights on its kinds is an operator; others have the rights
 * of their roles in the namespaces of the onboarding cluster.
 */
const createFindUser =
  (kernel: Kernel, authenticator: Authenticator): FindUser =>
  async ({ raw }) => {
    const user = await authenticator.authenticate(credentialsOfRequest(raw), brokersCluster);
    if (user.username === wellKnown.anonymousUser) return undefined;
    const { username, groups } = user;
    if (isMaster(user)) return { type: 'operator', username, groups };
    const access = await kernel.access.of(brokersCluster);
    const isOperator = access.authorize(user, { verb: '*', group: brokersGroup, resource: '*', namespace: '' }).allowed;
    return isOperator ? { type: 'operator', username, groups } : userCaller(user, access);
  };

function userCaller(user: UserInfo, access: ClusterAccess): UserCaller {
  const may = (verb: string, resource: string, namespace: string): boolean =>
    access.authorize(user, { verb, group: brokersGroup, resource, namespace }).allowed;
  return {
    type: 'user',
    username: user.username,
    groups: user.groups,
    may,
    tenants: plural => access.namespacesOf(user).filter(namespace => may('list', plural, namespace)),
  };
}
