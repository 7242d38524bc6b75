import { fileURLToPath } from 'node:url';
import { serviceInstances } from '@chandlery/brokers/kinds';
import type { Client } from '@chandlery/client';
import {
  askTermsOverHttp,
  createAgentInstaller,
  ensureBuiltInImages,
  type Fleet,
  type FleetOptions,
  openFleet,
} from '@chandlery/fleet';
import { fleetCluster, fleetGroup } from '@chandlery/fleet/kinds';
import { type AuditLog, credentialsOfRequest, type HttpHost } from '@chandlery/http';
import {
  type Authenticator,
  createKernelClient,
  isMaster,
  type Kernel,
  type UserInfo,
  wellKnown,
} from '@chandlery/kernel';
import {
  type AdminToken,
  FleetTokens,
  type LandscapeKeys,
  type Logger,
  type MetricsRegistry,
  type ServerConfig,
  type Shutdown,
  systemClock,
} from '@chandlery/platform';
import type { ControllerMetrics } from '@chandlery/runtime';
import { type RestApi, restEntry } from './audit.ts';
import type { LandscapeAuthority } from './authority/landscape-authority.ts';
import { createVerifyBearer, type FleetUser } from './fleet-tokens.ts';

/** What the fleet manager shares with the rest of the process. */
export interface FleetDeps extends Pick<FleetOptions, 'createLifecycle'> {
  readonly kernel: Kernel;
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
  readonly keys: LandscapeKeys;
  readonly authority: LandscapeAuthority;
  readonly adminToken: AdminToken;
  readonly audit: AuditLog;
  readonly registry: MetricsRegistry;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** What the controllers of the fleet need, in the replica that runs them. */
export interface FleetControllerDeps {
  /** Of the platform cluster. Not disposed of. */
  readonly platform: Client;
  /** Where the landscape is served. */
  readonly url: string;
  /** Whom agents should trust. */
  readonly authority: Pick<LandscapeAuthority, 'trustPem' | 'onChange'>;
  readonly controllerMetrics: ControllerMetrics;
}

/** A fleet manager, and how this program runs its controllers. */
export interface RunningFleet extends Pick<Fleet, 'dnsPorts' | 'endPolls' | 'opened' | 'offerings'> {
  startControllers(deps: FleetControllerDeps): Promise<AsyncDisposable>;
}

const api: RestApi = {
  cluster: fleetCluster,
  group: fleetGroup,
  version: 'v1',
  prefix: /^\/api\/[^/]*\/v1\/(admin\/)?/,
};

const agentProgram = fileURLToPath(new URL('../../agent/bin/chandlery-agent.mjs', import.meta.url));
const agentRole = 'fleetshard_operator';

/** Adds the fleet manager to the host. */
export async function startFleet(config: ServerConfig, deps: FleetDeps): Promise<RunningFleet> {
  const { kernel, keys, adminToken, createLifecycle, logger, stopping } = deps;
  const clock = systemClock;
  const client = stopping.use('client of the fleet', createKernelClient(kernel, { cluster: fleetCluster }));
  const tokens = new FleetTokens({ signingKey: keys.serviceAccountKey });
  const findUser = createFindUser(kernel, deps.authenticator);
  const fleet = await openFleet({
    client,
    host: deps.host,
    ...(createLifecycle && { createLifecycle }),
    verifyBearer: createVerifyBearer({ adminToken, landscapeTokens: tokens, oidc: config.oidc, findUser, clock }),
    findOperator: createFindOperator(kernel, deps.authenticator),
    landscapeTokens: ownIssuer(tokens),
    askTerms: askTermsOverHttp,
    keys: { authority: deps.authority.current, keyring: keys.keyring },
    metrics: deps.registry,
    recordAudit: entry => deps.audit.record(restEntry(api, entry)),
    logger: logger.child({ domain: 'fleet' }),
    clock,
  });
  stopping.use('fleet', fleet);
  return {
    opened: fleet.opened,
    offerings: fleet.offerings,
    dnsPorts: fleet.dnsPorts,
    endPolls: () => fleet.endPolls(),
    startControllers: found => startControllers(fleet, tokens, found),
  };
}

async function startControllers(
  fleet: Fleet,
  tokens: FleetTokens,
  { platform, url, authority, controllerMetrics }: FleetControllerDeps,
): Promise<AsyncDisposable> {
  await ensureBuiltInImages(platform, agentProgram);
  const installer = createAgentInstaller({
    platform,
    controlPlane: {
      url,
      get caPem() {
        return authority.trustPem;
      },
    },
    issueToken: (clusterId, expirationSeconds) =>
      tokens.issue({
        username: `agent-${clusterId}`,
        roles: [agentRole],
        clusterId,
        expirationSeconds,
        now: systemClock.now(),
      }).token,
    clock: systemClock,
  });
  const onAuthorityChange = (listener: () => void) => authority.onChange(listener);
  return fleet.startControllers({ platform, installer, onAuthorityChange, controllerMetrics });
}

const createFindOperator =
  (kernel: Kernel, authenticator: Authenticator): FleetOptions['findOperator'] =>
  async request => {
    const user = await authenticator.authenticate(credentialsOfRequest(request), fleetCluster);
    const isAnonymous = user.username === wellKnown.anonymousUser;
    return { isAnonymous, username: (await isOperator(kernel, user)) ? user.username : undefined };
  };

/** Identifies users of the landscape for the products' APIs, by whichever token all other APIs accept. */
const createFindUser =
  (kernel: Kernel, authenticator: Authenticator) =>
  async (bearerToken: string): Promise<FleetUser> => {
    const user = await authenticator.authenticate({ bearerToken }, fleetCluster);
    const { username } = user;
    if (await isOperator(kernel, user)) return { type: 'operator', username };
    const access = await kernel.access.of(fleetCluster);
    const { group, plural: resource } = serviceInstances;
    const tenants = (verb: string): readonly string[] =>
      access
        .namespacesOf(user)
        .filter(namespace => access.authorize(user, { verb, group, resource, namespace }).allowed);
    return { type: 'member', username, tenants };
  };

/** Users with all rights on the kinds of the fleet operate it. */
async function isOperator(kernel: Kernel, user: UserInfo): Promise<boolean> {
  if (isMaster(user)) return true;
  const access = await kernel.access.of(fleetCluster);
  return access.authorize(user, { verb: '*', group: fleetGroup, resource: '*', namespace: '' }).allowed;
}

const ownIssuer = (tokens: FleetTokens): FleetOptions['landscapeTokens'] => ({
  issuer: tokens.issuer,
  issue: ({ organisation, accountId, clusterId, expirationSeconds, ...order }) =>
    tokens.issue({
      ...order,
      ...(organisation === undefined ? {} : { organisation }),
      ...(accountId === undefined ? {} : { accountId }),
      ...(clusterId === undefined ? {} : { clusterId }),
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      now: systemClock.now(),
    }),
});
