import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { startPostgres, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import pg from 'pg';
import { type Caller, createCaller } from './support/caller.ts';
import { filesWith, holdsAny, modesBelow } from './support/find-bytes.ts';
import { configMap, corePath, create, createAccount, createCluster, expectStatus, secret } from './support/objects.ts';

const maps = `${corePath('shop', 'default')}/configmaps`;
const secrets = `${corePath('shop', 'default')}/secrets`;

const newMarker = (): string => `marker-${randomBytes(18).toString('hex')}`;

/** Writes secrets in every way that there is; returns the texts that must not be found. */
async function writeSecrets(admin: Caller): Promise<string[]> {
  const markers = Array.from({ length: 8 }, newMarker);
  const [created, raw, updated, merged, json, applied, deleted, label] = markers as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const encoded = (text: string) => Buffer.from(text).toString('base64');
  const patch = (name: string, body: unknown, type: string, query = '') =>
    admin.send(`${secrets}/${name}${query}`, {
      method: 'PATCH',
      body,
      headers: { 'content-type': `application/${type}` },
    });
  await create(admin, secrets, secret('kept', { key: created }));
  await create(admin, secrets, { ...secret('raw'), data: { key: encoded(raw) } });
  expectStatus(await admin.send(`${secrets}/kept`, { method: 'PUT', body: secret('kept', { key: updated }) }), 200);
  expectStatus(await patch('kept', { stringData: { more: merged } }, 'merge-patch+json'), 200);
  expectStatus(await patch('kept', [{ op: 'add', path: '/data/json', value: encoded(json) }], 'json-patch+json'), 200);
  expectStatus(
    await patch('applied', secret('applied', { key: applied }), 'apply-patch+yaml', '?fieldManager=me'),
    201,
  );
  await create(admin, secrets, { ...secret('noted'), metadata: { name: 'noted', annotations: { last: label } } });
  await create(admin, secrets, secret('gone', { key: deleted }));
  expectStatus(await admin.send(`${secrets}/gone`, { method: 'DELETE' }), 200);
  return markers;
}

/** Rejected writes are not stored either. */
async function writeRefused(admin: Caller): Promise<string[]> {
  const markers = Array.from({ length: 3 }, newMarker);
  const [invalid, broken, strict] = markers as [string, string, string];
  const tls = { ...secret('tls', { 'wrong key!': invalid }), type: 'kubernetes.io/tls' };
  expectStatus(await admin.send(secrets, { body: tls }), 422);
  expectStatus(await admin.send(secrets, { body: `{"kind":"Secret","stringData":{"a":"${broken}"` }), 400);
  expectStatus(
    await admin.send(`${secrets}?fieldValidation=Strict`, { body: { ...secret('s', { a: strict }), typo: strict } }),
    400,
  );
  return markers;
}

async function start(options: { database?: string } = {}): Promise<{ landscape: TestLandscape; admin: Caller }> {
  const landscape = await startTestLandscape({ ...options, env: { CHANDLERY_LOG_LEVEL: 'debug' } });
  const admin = createCaller(landscape, { token: landscape.token });
  await createCluster(admin, 'shop');
  return { landscape, admin };
}

/** A watch that carries the secrets, so that they also pass through every cache and queue. */
const watchSecrets = (admin: Caller) => admin.open(`${secrets}?watch=true`);

test("the data folder of an embedded landscape holds no readable secret, its files are its owner's", async () => {
  const { landscape, admin } = await start();
  await using _landscape = landscape;
  await using _admin = admin;
  const watch = await watchSecrets(admin);
  const visible = newMarker();
  await create(admin, maps, configMap('plain', { key: visible }));
  const { token } = await createAccount(admin, 'shop', 'robot');
  const markers = [...(await writeSecrets(admin)), ...(await writeRefused(admin)), token, landscape.token];
  const isExpected = (path: string): boolean => ['admin.token', 'admin.kubeconfig'].includes(basename(path));
  // The search itself works: what is no secret is found.
  assert.notDeepEqual(await filesWith(landscape.dataDir, [visible]), []);
  assert.deepEqual(
    (await filesWith(landscape.dataDir, markers)).filter(path => !isExpected(path)),
    [],
  );
  assert.ok(!holdsAny(Buffer.from(landscape.process.output()), markers), 'the log');
  watch.body.destroy();

  for (const [path, mode] of await modesBelow(landscape.dataDir)) {
    const isPublic = path === join(landscape.dataDir, 'ca.crt');
    assert.equal(mode & (isPublic ? 0o022 : 0o077), 0, `${path} has mode ${mode.toString(8)}`);
  }
  // After a clean end too, when the write-ahead log has been moved into the database.
  await landscape.stop();
  assert.deepEqual(
    (await filesWith(landscape.dataDir, markers)).filter(path => !isExpected(path)),
    [],
  );
});

test('a secret is still readable after a restart', async () => {
  const { landscape, admin } = await start();
  await using _landscape = landscape;
  await using _admin = admin;
  await create(admin, secrets, secret('kept', { key: 'value' }));
  await landscape.kill9();
  await landscape.restart();
  const { data } = expectStatus(await admin.send(`${secrets}/kept`), 200).json();
  assert.deepEqual(data, { key: Buffer.from('value').toString('base64') });
});

test('a PostgreSQL database holds no readable secret in any column of any table', async () => {
  await using postgres = await startPostgres({ fsync: false });
  const { landscape, admin } = await start({ database: postgres.url });
  await using _landscape = landscape;
  await using _admin = admin;
  const visible = newMarker();
  await create(admin, maps, configMap('plain', { key: visible }));
  const markers = [...(await writeSecrets(admin)), ...(await writeRefused(admin))];
  assert.notDeepEqual(await tablesWith(postgres.url, [visible]), []);
  assert.deepEqual(await tablesWith(postgres.url, markers), []);
  assert.deepEqual(await filesWith(landscape.dataDir, markers), []);
  assert.ok(!holdsAny(Buffer.from(landscape.process.output()), markers), 'the log');
});

async function tablesWith(url: string, markers: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    assert.ok(tables.rows.length > 0);
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from ${name}`);
      if (rows.some(row => Object.values(row).some(value => holdsAny(bytesOf(value), markers)))) found.push(name);
    }
    return found;
  } finally {
    await client.end();
  }
}

const bytesOf = (value: unknown): Uint8Array =>
  value instanceof Uint8Array ? value : Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

test('the audit log says that secrets were written, and not what they are', async () => {
  const { landscape, admin } = await start();
  await using _landscape = landscape;
  await using _admin = admin;
  const markers = [...(await writeSecrets(admin)), ...(await writeRefused(admin))];
  await landscape.stop();
  const text = await readFile(join(landscape.dataDir, 'audit.log'), 'utf8');
  assert.match(text, /"resource":"secrets"/);
  assert.ok(!holdsAny(Buffer.from(text), markers));
});
