import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ChandleryError, isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import {
  eventually,
  freePort,
  type Postgres,
  startPostgres,
  startTestLandscape,
  type TestLandscape,
  tempFolder,
} from '@chandlery/testing';
import { startWork } from './support/background-work.ts';
import { Counter } from './support/counter.ts';
import { checkLeadsTo } from './support/event-chain.ts';
import { Follower } from './support/follower.ts';
import { clientOf, configMaps, named } from './support/landscape-client.ts';
import { runCli } from './support/run-cli.ts';
import { withSeed } from './support/seeded.ts';
import { revisionOf, stepObject } from './support/step-object.ts';
import { Writer } from './support/writer.ts';

const password = 'not-to-be-shown';
/** Trusts all clients of this machine, so any password will do. */
const urlWithPassword = ({ port }: Postgres): string => `postgres://chandlery:${password}@127.0.0.1:${port}/postgres`;

/** Returns how a request fails; one that is still answered is repeated, for what was under way may yet finish. */
const failureOf = (request: () => Promise<unknown>): Promise<ChandleryError> =>
  eventually(
    async () => {
      try {
        await request();
        return undefined;
      } catch (error) {
        return error instanceof ChandleryError ? error : assert.fail(String(error));
      }
    },
    { timeoutMs: 60_000, what: 'a request to fail' },
  );

async function assertUnavailable(client: Client, { port }: Postgres): Promise<void> {
  const [written, read] = await Promise.all([
    failureOf(() => client.patch(named(configMaps, 'kept'), { type: 'merge', body: { data: { any: 'thing' } } })),
    failureOf(() => client.get(named(configMaps, 'kept'))),
  ]);
  for (const { code, message } of [written, read]) {
    assert.equal(code, 'ServiceUnavailable', message);
    assert.match(message, new RegExp(`PostgreSQL at 127\\.0\\.0\\.1:${port}`));
    assert.ok(!message.includes(password), message);
  }
}

interface Outage {
  readonly why: string;
  readonly begin: (postgres: Postgres) => Promise<void>;
  readonly end: (postgres: Postgres) => Promise<void>;
}

const outages: readonly Outage[] = [
  { why: 'crashes', begin: postgres => postgres.crash(), end: postgres => postgres.start() },
  { why: 'is shut down', begin: postgres => postgres.shutDown(), end: postgres => postgres.start() },
  { why: 'freezes', begin: postgres => postgres.pause(), end: postgres => postgres.resume() },
];

describe('a server whose database goes away says so with 503 and recovers without a restart', () => {
  const all = new AsyncDisposableStack();
  let postgres: Postgres;
  let landscape: TestLandscape;
  let client: Client;
  let pid: number;
  /** Goes through all outages. */
  let follower: Follower;

  before(async () => {
    postgres = all.use(await startPostgres());
    landscape = all.use(await startTestLandscape({ database: urlWithPassword(postgres) }));
    client = all.use(clientOf(landscape, 'onboarding'));
    ({ pid } = landscape.process);
    const kept = await client.create(configMaps, { ...stepObject('kept', 1), data: { any: '' } });
    const revision = kept.metadata.resourceVersion ?? '';
    follower = all.use(new Follower({ client: () => client, collection: configMaps, revision }));
  });
  after(() => all.disposeAsync());

  for (const [outage, { why, begin, end }] of outages.entries()) {
    test(`when PostgreSQL ${why}`, () =>
      withSeed(async random => {
        const writers = [1, 2, 3].map(
          no => new Writer({ client: () => client, random: random.fork(), prefix: `w${outage}-${no}` }),
        );
        const counter = new Counter(`counter-${outage}`);
        await counter.create(client);
        await using work = startWork(stop => [
          ...writers.map(writer => writer.run(stop)),
          ...[1, 2].map(() => counter.run(() => client, random.fork(), stop)),
        ]);
        const wrote = (count: number): boolean => writers.every(({ ledger }) => ledger.acknowledged >= count);
        await eventually(() => wrote(10), { timeoutMs: 60_000, what: 'the writers to write' });

        await begin(postgres);
        await assertUnavailable(client, postgres);
        const ready = await landscape.request('/readyz');
        assert.equal(ready.status, 503, ready.text);
        assert.match(ready.text, new RegExp(`127\\.0\\.0\\.1:${postgres.port}`));
        assert.ok(!ready.text.includes(password));
        assert.equal((await landscape.request('/livez')).status, 200);

        await end(postgres);
        await eventually(async () => (await landscape.request('/readyz')).status === 200, { timeoutMs: 60_000 });
        const soFar = Math.max(...writers.map(({ ledger }) => ledger.acknowledged));
        await eventually(() => wrote(soFar + 10), { timeoutMs: 60_000, what: 'the writers to write again' });
        await work.stop();
        assert.equal(landscape.process.pid, pid);
        assert.ok(!landscape.process.output().includes(password), 'the log shows the password');

        await counter.settle(client);
        for (const { ledger } of writers) ledger.settleAll((await client.list(configMaps)).items);
        const last = await client.create(configMaps, stepObject(`last-${outage}`, 1));
        await follower.reach(`last-${outage}`, revisionOf(last));
        checkLeadsTo(follower.events, (await client.list(configMaps)).items);
      }));
  }

  test('a client can distinguish it from a mistake of its own', async () => {
    await postgres.crash();
    const { status, headers, text } = await eventually(async () => {
      const answer = await landscape.request('/clusters/onboarding/api/v1/namespaces/default/configmaps');
      return answer.status === 503 && answer;
    });
    assert.deepEqual([status, headers.get('retry-after')], [503, '1'], text);
    await postgres.start();
    await eventually(async () => (await client.list(configMaps)).items, { timeoutMs: 30_000 });
    await assert.rejects(client.get(named(configMaps, 'never-made')), error => isError(error, 'NotFound'));
  });

  test('the status command names the check that fails, and does not fail itself', async () => {
    await postgres.crash();
    await eventually(async () => (await landscape.request('/readyz')).status === 503);
    const { code, stdout, stderr } = await runCli('status', '--data-dir', landscape.dataDir);
    assert.deepEqual([code, stderr], [1, '']);
    assert.match(stdout, /^Landscape: +running, not ready$/m);
    assert.match(stdout, /^Logical clusters: +unknown$/m);
    assert.match(stdout, new RegExp(`^store-postgres +failed +.*127\\.0\\.0\\.1:${postgres.port}`, 'm'));
    await postgres.start();
    await eventually(async () => (await landscape.request('/readyz')).status === 200, { timeoutMs: 30_000 });
  });
});

test('a server that finds no database at its start says which one and ends', async () => {
  await using folder = await tempFolder();
  const port = await freePort();
  const database = `postgres://chandlery:${password}@127.0.0.1:${port}/postgres`;
  const flags = ['--data-dir', folder.join('data'), '--port', '0', '--xds-port', '0', '--database', database];
  const { code, stdout, stderr } = await runCli('up', ...flags);
  assert.ok(code > 0, `it ended with ${code}`);
  assert.match(stderr, new RegExp(`127\\.0\\.0\\.1:${port}`));
  assert.ok(!(stdout + stderr).includes(password), stderr);
  assert.ok(!/\n\s+at /.test(stderr), `a stack is shown to the user:\n${stderr}`);
});
