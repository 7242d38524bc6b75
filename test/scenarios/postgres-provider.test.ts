import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually, runProcess, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import pg from 'pg';
import {
  conditionOf,
  gone,
  isTrue,
  type LooseObject,
  type Person,
  peopleOf,
  personWith,
  seen,
} from './provider-validation/support/people.ts';
import { openShop } from './support/osb-shop.ts';
import { processesOf } from './support/processes.ts';

const root = join(import.meta.dirname, '../..');
const example = join(root, 'examples/providers/postgres');
const chandlery = join(root, 'apps/cli/bin/chandlery.mjs');
const servers = 'postgres-servers';

type Connection = Readonly<Record<'host' | 'port' | 'database' | 'username' | 'password' | 'uri', string>>;

/** The example provider in the hands of an operator and two tenants, from its installation to its end. */
describe('The example provider for PostgreSQL', () => {
  let landscape: TestLandscape;
  let operator: Person;
  let tenant: Person;
  let workload: Person;

  before(async () => {
    landscape = await startTestLandscape();
    ({ operator, tenant } = peopleOf(landscape));
    workload = personWith(landscape.kubeconfig, 'workload');
  });
  after(() => landscape[Symbol.asyncDispose]());

  const database = (name: string, namespace: string, spec: object = {}): object => ({
    apiVersion: 'postgres.services.open-control-plane.io/v1alpha1',
    kind: 'PostgresDatabase',
    metadata: { name, namespace },
    spec: { version: '17', ...spec },
  });
  const isServing = (object: LooseObject): boolean =>
    isTrue(object, 'Ready') &&
    isTrue(object, 'Synced') &&
    object.status?.observedGeneration === object.metadata.generation;
  const serves = (name: string, namespace: string): Promise<LooseObject> =>
    seen(tenant, ['postgresdatabase', name, namespace], isServing);

  async function valuesOf(person: Person, name: string, namespace: string): Promise<Record<string, string>> {
    const secret = await person.find('secret', name, namespace);
    const entries = Object.entries(secret?.data ?? {});
    return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
  }
  const connectionOf = async (name: string, namespace: string): Promise<Connection> =>
    (await valuesOf(tenant, `postgresdatabase-${name}-connection`, namespace)) as unknown as Connection;
  const query = async (name: string, namespace: string, ...statements: readonly string[]): Promise<unknown[]> =>
    run((await connectionOf(name, namespace)).uri, ...statements);

  /** As the administrator of the server, on one of its databases. */
  async function administer(inDatabase: string, ...statements: readonly string[]): Promise<unknown[]> {
    const { host, port } = await connectionOf('shop', 'default');
    const { password = '' } = await valuesOf(workload, 'postgres-17', servers);
    return run(`postgresql://postgres:${password}@${host}:${port}/${inDatabase}`, ...statements);
  }

  const plan = async (...args: readonly string[]): Promise<string> => {
    const all = [chandlery, 'plan', ...args, '--data-dir', landscape.dataDir];
    const { code, stdout, stderr } = await runProcess(process.execPath, all, { cwd: root });
    assert.equal(code, 0, stderr);
    return stdout;
  };

  it('is installed and configured by the operator', async () => {
    const install = await readFile(join(example, 'install.yaml'), 'utf8');
    await operator.apply(install.replaceAll('folder: examples', `folder: ${root}/examples`));
    await operator.run('wait', '--for=condition=Initialized', 'serviceprovider/postgres', '--timeout=60s');
    await operator.run('apply', '-f', join(example, 'config.yaml'));
    await operator.run('wait', '--for=condition=Ready', 'serviceprovider/postgres', '--timeout=60s');
    const config = 'providerconfig.postgres.services.open-control-plane.io/postgres';
    await operator.run('wait', '--for=condition=Ready', config, '--timeout=60s');
    assert.match(await operator.run('get', config), /PHASE .*\n.*Ready/);
  });

  it('gives a tenant a database that can be used', async () => {
    await tenant.run('apply', '-f', join(example, 'database.yaml'));
    await tenant.run('wait', '--for=condition=Ready', 'postgresdatabase/shop', '--timeout=60s');
    const rows = await query(
      'shop',
      'default',
      'CREATE TABLE boats (name text)',
      "INSERT INTO boats VALUES ('marie')",
      'SELECT * FROM boats',
    );
    assert.deepEqual(rows, [{ name: 'marie' }]);
  });

  it('keeps tenants apart', async () => {
    await tenant.run('create', 'namespace', 'other');
    await tenant.apply(database('shop', 'other'));
    await serves('shop', 'other');
    const [mine, theirs] = [await connectionOf('shop', 'default'), await connectionOf('shop', 'other')];
    assert.notEqual(mine.database, theirs.database);
    for (const foreign of [theirs.database, 'postgres', 'template1']) {
      const uri = mine.uri.replace(/[^/]*$/, foreign);
      await assert.rejects(run(uri, 'SELECT 1'), { code: '42501' }, `may connect to ${foreign}`);
    }
    const impostor = { ...pick(mine), user: theirs.username, database: theirs.database, password: mine.password };
    await assert.rejects(run(impostor, 'SELECT 1'), { code: '28P01' });
    await assert.rejects(query('shop', 'other', 'SELECT * FROM boats'), { code: '42P01' });
    await assert.rejects(query('shop', 'other', 'CREATE ROLE mate'), { code: '42501' });
  });

  it('sells a database to a platform, over the open service broker API', async () => {
    const shop = await openShop(landscape);
    const { id: service_id, plans } = await shop.findService('postgresdatabase');
    const order = { service_id, plan_id: plans[0]?.id, organization_guid: 'o', space_guid: 's' };
    const parameters = { version: '17' };
    const instance = `/v2/service_instances/bought`;
    const ordered = await shop.call('PUT', `${instance}?accepts_incomplete=true`, { ...order, parameters });
    assert.equal(ordered.status, 202, ordered.text);
    await shop.ends(`${instance}/last_operation?service_id=${service_id}&plan_id=${order.plan_id}`);
    const bound = await shop.call('PUT', `${instance}/service_bindings/b`, order);
    assert.equal(bound.status, 201, bound.text);
    const { credentials } = bound.json<{ credentials: Connection }>();
    assert.deepEqual(await run(credentials.uri, 'CREATE TABLE t (n int)', 'INSERT INTO t VALUES (7)', 'TABLE t'), [
      { n: 7 },
    ]);
    const which = `service_id=${service_id}&plan_id=${order.plan_id}`;
    assert.equal((await shop.call('DELETE', `${instance}/service_bindings/b?${which}`)).status, 200);
    const deleted = await shop.call('DELETE', `${instance}?accepts_incomplete=true&${which}`);
    assert.equal(deleted.status, 202, deleted.text);
    await shop.ends(`${instance}/last_operation?${which}&operation=${deleted.json<{ operation: string }>().operation}`);
    await assert.rejects(run(credentials.uri, 'SELECT 1'), 'the database is dropped');
    await shop.close();
  });

  it('heals when the server is killed', async () => {
    const { password } = await connectionOf('shop', 'default');
    const [file = ''] = await serverFiles(landscape);
    const pid = Number((await readFile(file, 'utf8')).split('\n')[0]);
    process.kill(pid, 'SIGKILL');
    await eventually(async () => Number((await readFile(file, 'utf8')).split('\n')[0]) !== pid, { timeoutMs: 60_000 });
    await eventually(async () => (await query('shop', 'default', 'SELECT * FROM boats')).length === 1, {
      timeoutMs: 60_000,
    });
    // Not earlier: the object may still be as it was before the provider noticed.
    await serves('shop', 'default');
    assert.equal((await connectionOf('shop', 'default')).password, password);
  });

  it('puts right what an administrator did by hand', async () => {
    const { uri, username } = await connectionOf('shop', 'default');
    await administer(username, `REASSIGN OWNED BY ${username} TO postgres`);
    await administer('postgres', `ALTER DATABASE ${username} OWNER TO postgres`, `DROP ROLE ${username}`);
    await eventually(
      () =>
        run(uri, 'SELECT * FROM boats').then(
          rows => rows.length === 1,
          () => false,
        ),
      {
        timeoutMs: 60_000,
      },
    );
    await eventually(async () => /DriftRepaired/.test(await tenant.run('events', '-n', 'default')), {
      timeoutMs: 60_000,
    });
    await serves('shop', 'default');
  });

  it('prints what would change, and changes nothing', async () => {
    assert.equal(await plan('postgresdatabase/shop'), 'PostgresDatabase default/shop: nothing would change.\n');
    const file = join(landscape.dataDir, 'larger.yaml');
    await writeFile(file, JSON.stringify(database('shop', 'default', { size: 'large' })));
    const { username } = await connectionOf('shop', 'default');
    assert.match(await plan('postgresdatabase/shop', '-f', file), /1 change\n {2}~ .*has the limits of another size/);
    assert.deepEqual(await limitOf(username), [{ rolconnlimit: 10 }]);
  });

  const limitOf = (role: string): Promise<unknown[]> =>
    administer('postgres', `SELECT rolconnlimit FROM pg_roles WHERE rolname = '${role}'`);

  it('follows a change of the size, and refuses versions that it does not have', async () => {
    const { username } = await connectionOf('shop', 'default');
    await tenant.run('patch', 'postgresdatabase', 'shop', '--type=merge', '-p', '{"spec":{"size":"medium"}}');
    await serves('shop', 'default');
    assert.deepEqual(await limitOf(username), [{ rolconnlimit: 40 }]);
    await tenant.apply(database('old', 'default', { version: '9' }));
    const refused = await seen(
      tenant,
      ['postgresdatabase', 'old', 'default'],
      object => conditionOf(object, 'Ready')?.reason === 'UserError',
    );
    assert.match(conditionOf(refused, 'Ready')?.message ?? '', /version "9" is not offered; choose one of: 17$/);
    await tenant.run('delete', 'postgresdatabase', 'old', '--timeout=60s');
  });

  it('lets a database go with all data, and takes it up again', async () => {
    const { uri } = await connectionOf('shop', 'default');
    await tenant.run('patch', 'postgresdatabase', 'shop', '--type=merge', '-p', '{"spec":{"deletionPolicy":"Orphan"}}');
    await tenant.run('delete', 'postgresdatabase', 'shop', '--timeout=60s');
    const receipt = await tenant.find('configmap', 'postgresdatabase-shop-receipt', 'default');
    assert.match(
      receipt?.data?.['stays'] ?? '',
      /Database and role "db_\w+" on the server of PostgreSQL 17, with all data/,
    );
    assert.equal((await run(uri, 'SELECT * FROM boats')).length, 1);
    await tenant.apply(database('shop', 'default'));
    await serves('shop', 'default');
    assert.equal((await query('shop', 'default', 'SELECT * FROM boats')).length, 1);
  });

  it('deletes database and role of a tenant who says so, and nothing else', async () => {
    const { uri, username } = await connectionOf('shop', 'other');
    await tenant.run('delete', 'postgresdatabase', 'shop', '-n', 'other', '--timeout=60s');
    await assert.rejects(run(uri, 'SELECT 1'), { code: '28P01' });
    const left = "SELECT datname FROM pg_database WHERE datname LIKE 'db\\_%'";
    const { database: mine } = await connectionOf('shop', 'default');
    assert.deepEqual(await administer('postgres', left), [{ datname: mine }]);
    assert.deepEqual(await limitOf(username), []);
    assert.equal(await tenant.find('secret', 'postgresdatabase-shop-connection', 'other'), undefined);
  });

  it('keeps a server that is no longer offered while it has databases', async () => {
    const config = 'providerconfig.postgres.services.open-control-plane.io';
    const offer = (version: string): string =>
      JSON.stringify({ spec: { versions: [{ version, image: 'postgres:17' }] } });
    await operator.run('patch', config, 'postgres', '--type=merge', '-p', offer('none'));
    await seen(
      tenant,
      ['postgresdatabase', 'shop', 'default'],
      object => conditionOf(object, 'Ready')?.reason === 'UserError',
    );
    const hasServer = (name: string) => (object: LooseObject) =>
      object.status?.resources?.some(resource => resource.name === name) ?? false;
    const both = await seen(operator, [config, 'postgres'], hasServer('postgres-none'));
    assert.ok(hasServer('postgres-17')(both));
    assert.equal((await query('shop', 'default', 'SELECT * FROM boats')).length, 1);
    await operator.run('patch', config, 'postgres', '--type=merge', '-p', offer('17'));
    await serves('shop', 'default');
    await gone(workload, ['deployment', 'postgres-none', servers]);
  });

  it('waits for its tenants when it is uninstalled, and leaves nothing', async () => {
    await operator.run('delete', 'serviceprovider', 'postgres', '--wait=false');
    await seen(operator, ['serviceprovider', 'postgres'], object =>
      (conditionOf(object, 'Uninstalled')?.message ?? '').includes('PostgresDatabase'),
    );
    await serves('shop', 'default');
    await tenant.run('delete', 'postgresdatabase', 'shop', '--timeout=60s');
    await gone(operator, ['serviceprovider', 'postgres']);
    for (const person of [operator, tenant]) {
      assert.doesNotMatch(await person.run('api-resources', '--cached=false'), /postgres\.services/);
    }
    await eventually(async () => {
      const clusters = await operator.list<LooseObject>('clusters', '-n', 'openmcp-system');
      const names = clusters.map(({ metadata }) => metadata.name);
      return names.length === 2 || assert.fail(`there are ${names.join(', ')}`);
    });
    assert.deepEqual(await operator.list('accessrequests', '-A'), []);
    assert.deepEqual(await operator.list('clusterrequests', '-A'), []);
    const claims = join(landscape.dataDir, 'node/claims');
    assert.deepEqual(existsSync(claims) ? await readdir(claims) : [], []);
    assert.deepEqual(await processesOf(landscape.process.pid), []);
  });
});

const pick = ({ host, port }: Connection): pg.ClientConfig => ({ host, port: Number(port) });

/** Runs statements with the connection's role, and returns the rows of the last. */
async function run(connection: string | pg.ClientConfig, ...statements: readonly string[]): Promise<unknown[]> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** The files with the pids of servers. */
const serverFiles = async ({ dataDir }: TestLandscape): Promise<string[]> =>
  (await readdir(join(dataDir, 'node/claims'), { recursive: true }))
    .filter(path => path.endsWith('/postmaster.pid'))
    .map(path => join(dataDir, 'node/claims', path));
