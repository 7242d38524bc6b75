import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { startTestBroker } from '../../test-broker.ts';
import { platformAdapterContract } from '../platform-adapter-contract.ts';
import { createCloudFoundryAdapter } from './create-cloud-foundry-adapter.ts';
import { startCloudController } from './test-cloud-controller.ts';

async function open(organizations: readonly string[] = ['org-a', 'org-b']) {
  const broker = await startTestBroker();
  const cloud = await startCloudController({ organizations });
  const login = { client: cloud.client };
  const adapter = createCloudFoundryAdapter({ url: cloud.url, login, logger: silentLogger, jobPollMs: 5 });
  return {
    adapter,
    cloud,
    broker,
    urls: [`${broker.url}/v1/osb/id-1`, `${broker.url}/v1/osb/id-2`] as const,
    async [Symbol.asyncDispose]() {
      await adapter[Symbol.asyncDispose]();
      await cloud[Symbol.asyncDispose]();
      await broker[Symbol.asyncDispose]();
    },
  };
}

platformAdapterContract('Cloud Foundry', () => open());

const registration = {
  brokerId: 'id-1',
  name: 'sm-one-id-1',
  credentials: { username: 'admin', password: 'broker-password' },
};

test('a token that has expired is replaced once', async () => {
  await using deps = await open();
  await deps.adapter.listBrokers();
  deps.cloud.expireTokens();
  await deps.adapter.listBrokers();
  assert.equal(deps.cloud.logins, 2);
});

test('a broker whose catalog cannot be fetched is an error and is not registered', async () => {
  await using deps = await open();
  deps.broker.failNext(/catalog/, 500);
  await assert.rejects(deps.adapter.createBroker({ ...registration, url: deps.broker.url }), { code: 'JobFailed' });
  assert.deepEqual(await deps.adapter.listBrokers(), []);
});

test('an answer that is no success is an error', async () => {
  await using deps = await open();
  await deps.adapter.createBroker({ ...registration, url: deps.broker.url });
  const [from] = await deps.adapter.listAccess(await deps.adapter.listBrokers());
  assert.ok(from);
  deps.cloud.failNext(/PATCH .*visibility/, 500);
  const change = deps.adapter.changeAccess({ from, to: { ...from, isPublic: true } });
  await assert.rejects(change, { code: 'CloudController500' });
});

test('brokers of a space are not listed', async () => {
  await using deps = await open();
  const body = { name: 'own', url: deps.broker.url, relationships: { space: { data: { guid: 's' } } } };
  await deps.cloud.state.jobs.get(deps.cloud.state.createBroker(body));
  assert.deepEqual(await deps.adapter.listBrokers(), []);
});

test('organizations that do not exist are no known scopes', async () => {
  await using deps = await open();
  assert.deepEqual(await deps.adapter.knownScopes(['org-gone', 'org-b', 'org-a']), ['org-b', 'org-a']);
});

test('ids in lists survive the second decoding of the Cloud Controller', async () => {
  const strange = ['a,b', '100%25', 'c+d', ' e'];
  await using deps = await open(strange);
  assert.deepEqual(await deps.adapter.knownScopes([...strange, 'a', '100%']), strange);
});

test('the access of one plan is read without a listing of the others', async () => {
  await using deps = await open();
  await deps.adapter.createBroker({ ...registration, url: deps.broker.url });
  const brokers = await deps.adapter.listBrokers();
  const [first, second] = await deps.adapter.listAccess(brokers);
  assert.ok(first && second);
  const before = deps.cloud.requests.length;
  assert.deepEqual(await deps.adapter.listAccess(brokers, [second.catalogPlanId]), [second]);
  assert.deepEqual(deps.cloud.requests.slice(before), ['GET /v3/service_plans']);
});
