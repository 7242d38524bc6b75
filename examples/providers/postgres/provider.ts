import {
  allRightsOn,
  defineProvider,
  findOffer,
  type Observation,
  type ServiceContext,
  sdkError,
  userError,
  type Waiting,
} from '@chandlery/sdk';
import type pg from 'pg';
import { asAdministrator, isUnreachable } from './connect.ts';
import {
  type DesiredDatabase,
  differencesOf,
  dropDatabase,
  ensureDatabase,
  markDatabase,
  observeDatabase,
} from './database.ts';
import { databases, type PostgresConfig, type PostgresDatabase, postgresConfigs, sizes } from './kinds.ts';
import { passwordOf } from './passwords.ts';
import { findServer, noteUse, readSecrets, type Server, type ServerAddress } from './server-access.ts';
import { servers } from './servers.ts';

type Context = ServiceContext<PostgresConfig>;

export const provider = defineProvider<PostgresDatabase, PostgresConfig>({
  api: databases,
  config: postgresConfigs,
  clusters: {
    workload: {
      per: 'provider',
      permissions: [
        {
          rules: [
            allRightsOn('', 'namespaces', 'secrets', 'services', 'persistentvolumeclaims'),
            allRightsOn('apps', 'deployments'),
            { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['get', 'list', 'watch'] },
          ],
        },
      ],
    },
  },
  shared: servers,
  service: { observe, createOrUpdate, delete: remove, release },
});

/** Observes the database, and returns its connection details. */
async function observe(object: PostgresDatabase, context: Context): Promise<Observation> {
  checkVersion(object, context);
  const server = await findServer(context.workload.client, object.spec.version);
  try {
    return server === undefined ? absent(object) : await look(object, context, server);
  } catch (error) {
    if (isUnreachable(error)) return absent(object);
    throw error;
  }
}

function checkVersion(object: PostgresDatabase, { config }: Context): void {
  const { version } = findOffer(config.spec.versions, object.spec.version);
  const current = versionOf(object);
  if (current === version) return;
  throw userError(
    `The version of a database cannot be changed from ${current} to ${version}.`,
    'Create another database and copy the data.',
  );
}

/** The version that the database has, which is what was asked for first. */
const versionOf = ({ spec, status }: PostgresDatabase): string => status?.serverVersion?.split('.')[0] ?? spec.version;

/** The state of the database is unknown, so that nothing is changed. */
const absent = (object: PostgresDatabase): Observation => ({
  exists: true,
  differences: [],
  isReady: false,
  message: absence(object),
  requeueAfterMs: 1000,
});

const absence = (object: PostgresDatabase): string =>
  `The server of PostgreSQL ${versionOf(object)} takes no connections at the moment.`;

async function look(object: PostgresDatabase, context: Context, server: Server): Promise<Observation> {
  const desired = desiredDatabaseOf(object, context, server);
  const observed = await asAdministrator(server, client => observeDatabase(client, desired));
  const differences = differencesOf(observed, desired);
  object.status = { ...object.status, database: desired.name, serverVersion: observed.serverVersion };
  return {
    exists: observed.database !== undefined,
    differences,
    isReady: differences.length === 0,
    ...(differences.length === 0
      ? { connection: connectionOf(server.address, desired), listens: listeningAt(server.address) }
      : {}),
  };
}

const nameOf = ({ instanceId }: Context): string => `db_${instanceId}`;

function desiredDatabaseOf(object: PostgresDatabase, context: Context, { secrets }: Server): DesiredDatabase {
  const identity = `${object.metadata.namespace}/${object.metadata.name}`;
  return {
    name: nameOf(context),
    password: passwordOf(secrets.seed, identity),
    size: sizes[object.spec.size],
    mark: `PostgresDatabase ${identity}`,
  };
}

/** All databases of a server have its address. */
const listeningAt = ({ host, port }: ServerAddress) => ({ endpoints: [{ address: host, port, name: 'postgres' }] });

function connectionOf({ host, port }: ServerAddress, { name, password }: DesiredDatabase): Record<string, string> {
  const uri = `postgresql://${name}:${encodeURIComponent(password)}@${host}:${port}/${name}`;
  return { host, port: String(port), database: name, username: name, password, uri };
}

async function createOrUpdate(object: PostgresDatabase, context: Context): Promise<void> {
  await onServer(object, context, async (client, server) => {
    const desired = desiredDatabaseOf(object, context, server);
    await noteUse(context.workload.client, versionOf(object));
    await ensureDatabase(client, await observeDatabase(client, desired), desired, act =>
      asAdministrator(server, act, desired.name),
    );
  });
}

async function remove(object: PostgresDatabase, context: Context): Promise<void | Waiting> {
  const client = context.workload.client;
  // Where there never was a server, there never was a database.
  if ((await readSecrets(client, versionOf(object))) === undefined) return undefined;
  if ((await findServer(client, versionOf(object))) === undefined) {
    return { retryAfterMs: 1000, message: absence(object) };
  }
  return onServer(object, context, admin => dropDatabase(admin, nameOf(context)));
}

/** The database stays for as long as the platform keeps the server. */
async function release(object: PostgresDatabase, context: Context): Promise<readonly string[]> {
  const name = nameOf(context);
  await onServer(object, context, async client => {
    const { database } = await observeDatabase(client, { name });
    if (database !== undefined) await markDatabase(client, name, '');
  });
  return [`Database and role "${name}" on the server of PostgreSQL ${versionOf(object)}, with all data`];
}

type Act = (client: pg.Client, server: Server) => Promise<void>;

async function onServer(object: PostgresDatabase, { workload }: Context, act: Act): Promise<void> {
  const server = await findServer(workload.client, versionOf(object));
  if (server === undefined) throw sdkError('ServerUnavailable', absence(object));
  await asAdministrator(server, client => act(client, server));
}
