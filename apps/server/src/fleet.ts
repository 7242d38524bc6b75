import { askTermsOverHttp, EmbeddedMetrics, type Fleet, type FleetOptions, openFleet } from '@chandlery/fleet';
import { fleetCluster } from '@chandlery/fleet/kinds';
import { credentialsOfRequest, type HttpHost } from '@chandlery/http';
import {
  type Authenticator,
  createKernelClient,
  isMaster,
  type Kernel,
  platformCluster,
  wellKnown,
} from '@chandlery/kernel';
import {
  type AdminToken,
  FleetTokens,
  type LandscapeKeys,
  type Logger,
  type ServerConfig,
  type Shutdown,
  systemClock,
} from '@chandlery/platform';
import { createVerifyBearer } from './fleet-tokens.ts';

/** What the fleet manager shares with the rest of the process. */
export interface FleetParts {
  readonly kernel: Kernel;
  readonly host: HttpHost;
  readonly authenticator: Authenticator;
  readonly keys: LandscapeKeys;
  readonly adminToken: AdminToken;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** Adds the fleet manager to the host. */
export async function startFleet(config: ServerConfig, parts: FleetParts): Promise<Fleet> {
  const { kernel, host, authenticator, keys, adminToken, logger, stopping } = parts;
  const clock = systemClock;
  const client = stopping.use('client of the fleet', createKernelClient(kernel, { cluster: fleetCluster }));
  const tokens = new FleetTokens({ signingKey: keys.serviceAccountKey });
  const metrics = new EmbeddedMetrics({ clock });
  const fleet = await openFleet({
    client,
    host,
    verifyBearer: createVerifyBearer({ adminToken, ownTokens: tokens, oidc: config.oidc, clock }),
    findOperator: createFindOperator(authenticator),
    ownTokens: ownIssuer(tokens),
    askTerms: askTermsOverHttp,
    metricsOf: () => metrics,
    recordMetrics: () => metrics,
    logger: logger.child({ domain: 'fleet' }),
    clock,
  });
  return stopping.use('fleet', fleet);
}

const createFindOperator =
  (authenticator: Authenticator): FleetOptions['findOperator'] =>
  async request => {
    const user = await authenticator.authenticate(credentialsOfRequest(request), platformCluster);
    const isAnonymous = user.username === wellKnown.anonymousUser;
    return { isAnonymous, username: isMaster(user) ? user.username : undefined };
  };

const ownIssuer = (tokens: FleetTokens): FleetOptions['ownTokens'] => ({
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
