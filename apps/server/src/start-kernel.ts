import { ChandleryError, toError } from '@chandlery/api';
import { brokerKinds } from '@chandlery/brokers/kinds';
import { fleetKinds } from '@chandlery/fleet/kinds';
import type { AuditLog } from '@chandlery/http';
import {
  type Damage,
  Kernel,
  type Leadership,
  openStore,
  type Store,
  StoreLeadership,
  type StoreObserver,
  soleLeader,
  type VerifyingProgress,
} from '@chandlery/kernel';
import { meshKinds } from '@chandlery/mesh/kinds';
import type { StatusJoin } from '@chandlery/orders';
import { ordersKinds, workflowKinds } from '@chandlery/orders/kinds';
import {
  type Clock,
  type LandscapeKeys,
  type Logger,
  type MetricsRegistry,
  type ProcessIdentity,
  parseDatabaseUrl,
  type ServerConfig,
  type ServiceAccountTokens,
  type Shutdown,
  type Tracer,
} from '@chandlery/platform';
import { landscapeGroups } from '@chandlery/providers';
import { admissionBehaviours } from './admission.ts';
import { internalEntry } from './audit.ts';
import { claimFormat } from './data-format.ts';
import { claimStore } from './encryption/keys-of-store.ts';
import { meshBehaviours } from './mesh-admission.ts';
import { storeObserver } from './metrics.ts';
import { orderedByBehaviours } from './ordered-by.ts';
import { providerAdmission } from './provider-admission.ts';
import { landscapeReplicas } from './replicas/landscape-replica.ts';
import { tokenIssuer } from './token-issuer.ts';
import { workflowBehaviours } from './workflow-admission.ts';

export interface KernelDeps {
  readonly keys: LandscapeKeys;
  readonly tokens: ServiceAccountTokens;
  readonly identity: ProcessIdentity;
  readonly audit: Pick<AuditLog, 'record'>;
  /** Shows Workflows with their nodes. */
  readonly workflowJoin: StatusJoin;
  readonly registry: MetricsRegistry;
  readonly tracer: Tracer;
  readonly logger: Logger;
  readonly stopping: Shutdown;
  readonly clock: Clock;
}

/** Opens the store and starts the kernel on it. */
export async function startKernel(
  config: ServerConfig,
  { keys, tokens, identity, audit, workflowJoin, registry, tracer, logger, stopping, clock }: KernelDeps,
): Promise<Kernel> {
  const onFailure = (what: string, error: unknown): void =>
    logger.warn(`${what} failed, will be tried again`, { error: toError(error).message });
  const onDamage = ({ kind, message, object }: Damage): void =>
    logger.error('the store is damaged', { kind, damage: message, ...(object === undefined ? {} : { object }) });
  const onVerifying = ({ verifiedBytes, totalBytes }: VerifyingProgress): void =>
    logger.info('verifying the database file', {
      verifiedMiB: mebibytes(verifiedBytes),
      totalMiB: mebibytes(totalBytes),
    });
  const store = stopping.use(
    'store',
    await openConfiguredStore(config, { onDamage, onVerifying, observer: storeObserver(registry) }),
  );
  await claimFormat(store);
  await claimStore(store, keys);
  const kernel = new Kernel({
    store,
    cipher: keys.keyring,
    tokens: tokenIssuer(tokens),
    tracer,
    kinds: [
      ...Object.values(brokerKinds).map(({ declaration }) => declaration),
      ...meshKinds,
      ...Object.values(fleetKinds).map(({ declaration }) => declaration),
      ...workflowKinds(workflowJoin),
      ...Object.values(ordersKinds).map(({ declaration }) => declaration),
      landscapeReplicas.declaration,
    ],
    behaviours: new Map([...admissionBehaviours, ...meshBehaviours, ...workflowBehaviours, ...orderedByBehaviours]),
    admission: providerAdmission,
    reservedGroups: landscapeGroups,
    leadership: leadershipOf(config, { store, identity, onFailure }),
    onInternalWrite: write => audit.record(internalEntry(write)),
    clock,
    historyMs: config.historyMinutes * 60_000,
    revisionDays: config.revisionDays,
    onFailure,
  });
  stopping.use('kernel', kernel);
  await kernel.start();
  return kernel;
}

const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

interface StoreListeners {
  readonly observer: StoreObserver;
  readonly onDamage: (damage: Damage) => void;
  readonly onVerifying: (progress: VerifyingProgress) => void;
}

/** A database that is not there is mostly one that was named wrongly, or was not started. */
async function openConfiguredStore(config: ServerConfig, listeners: StoreListeners): Promise<Store> {
  try {
    return await openStore({ ...storeOptions(config), ...listeners });
  } catch (thrown) {
    const error = toError(thrown);
    if (config.database === undefined || error.hint !== undefined) throw error;
    const { code, message } = error;
    const hint = 'See that PostgreSQL runs there and lets this user in, or correct --database.';
    throw new ChandleryError(code, message, { hint, cause: thrown });
  }
}

/** Where data lives, fit to be shown. */
export function storeText({ database, dataDir }: ServerConfig): string {
  if (database === undefined) return `SQLite in ${dataDir}`;
  const urls = parseDatabaseUrl(database).urls.map(url => new URL(url));
  const servers = urls.map(({ hostname: server, port }) => `${server}:${port === '' ? '5432' : port}`);
  return `PostgreSQL at ${servers.join(',')}${urls[0]?.pathname ?? ''}`;
}

const storeOptions = ({ database, dataDir }: ServerConfig) =>
  database === undefined
    ? ({ type: 'sqlite', folder: dataDir } as const)
    : ({ type: 'postgres', url: database } as const);

/** An embedded store has one process; on a database server there may be other replicas. */
function leadershipOf(
  { database }: ServerConfig,
  {
    store,
    identity,
    onFailure,
  }: {
    readonly store: Store;
    readonly identity: ProcessIdentity;
    readonly onFailure: (what: string, error: unknown) => void;
  },
): Leadership {
  if (database === undefined) return soleLeader;
  return new StoreLeadership({
    store,
    ...identity,
    onFailure: error => onFailure('housekeeping leadership', error),
  });
}
