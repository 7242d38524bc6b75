import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isError, type JsonObject, type ObjectOf } from '@chandlery/api';
import type { InternalProgress } from '@chandlery/brokers/kinds';
import { accessRequests, clusterRequests, clusters, systemNamespace } from '@chandlery/clusters/kinds';
import { silentLogger } from '@chandlery/platform';
import { installKinds } from '@chandlery/runtime';
import {
  defineProvider,
  defineProviderConfig,
  defineService,
  installProvider,
  startProvider,
  userError,
} from '@chandlery/sdk';
import { eventually, startTestPlane } from '@chandlery/testing';
import { Type } from 'typebox';
import { ScriptedClusters } from '../../controllers/tenants/test-clusters.ts';
import { serviceProviders } from '../../kinds/index.ts';
import { createProviderOfferings } from './create-provider-offerings.ts';
import { createProvider } from './test-offerings.ts';

const group = 'bank.services.example.org';
const accounts = defineService({
  group,
  version: 'v1',
  kind: 'Account',
  description: 'An account.',
  spec: Type.Object({ currency: Type.String(), limit: Type.Integer({ default: 1 }) }),
});
const bankConfigs = defineProviderConfig({ group, version: 'v1', spec: Type.Object({}) });
type Account = ObjectOf<typeof accounts>;
type BankConfig = ObjectOf<typeof bankConfigs>;

/** External accounts and their limits. */
function defineBank(bank: Map<string, number>) {
  return defineProvider<Account, BankConfig>({
    api: accounts,
    config: bankConfigs,
    service: {
      observe: async ({ spec }, { instanceId }) => {
        if (spec.currency !== 'EUR') throw userError(`No bank takes ${spec.currency}.`);
        const limit = bank.get(instanceId);
        const isRight = limit === spec.limit;
        return {
          exists: limit !== undefined,
          differences: limit === undefined || isRight ? [] : ['The limit differs.'],
          isReady: isRight,
          ...(isRight ? { connection: { account: instanceId, limit: String(limit) } } : {}),
        };
      },
      createOrUpdate: async ({ spec }, { instanceId }) => void bank.set(instanceId, spec.limit),
      delete: async (_, { instanceId }) => void bank.delete(instanceId),
    },
  });
}

it('A platform buys from a provider that was written with the SDK', async () => {
  await using plane = await startTestPlane();
  const [platform, onboarding] = [plane.connect('platform'), plane.client];
  const kinds = [serviceProviders, accessRequests, clusterRequests, clusters].map(({ crd }) => crd);
  await installKinds(platform, kinds, { fieldManager: 'test' });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } };
  await platform.create({ group: '', version: 'v1', plural: 'namespaces' }, namespace).catch(ignoreExisting);
  await using _clusters = new ScriptedClusters(platform);
  await createProvider(platform, 'bank', []);
  const connect = () => plane.connect('onboarding');
  const bank = new Map<string, number>();
  const definition = defineBank(bank);
  await installProvider(definition, { provider: 'bank', platform, connect });
  await platform.create(bankConfigs.ref, bankConfigs.object({ name: 'bank' }, {}));
  await using _provider = await startProvider(definition, { provider: 'bank', platform, connect });
  await using broker = createProviderOfferings({ platform, onboarding, logger: silentLogger });
  const [service] = await broker.catalog();
  assert.deepEqual([service?.name, service?.isBindable, service?.plans.length], ['account', true, 1]);

  const order = (id: string, parameters: JsonObject) => ({
    id,
    serviceId: service?.id ?? '',
    planId: service?.plans[0]?.id ?? '',
    parameters,
    caller: { tenant: 'service-manager', platformId: 'cf-eu', context: {} },
  });
  const until = (id: string, state: InternalProgress['state']) =>
    eventually(
      async () => {
        const progress = await broker.progress(id);
        return progress.state === state && progress;
      },
      { what: `${id} to be ${state}` },
    );

  const eur = order('a', { currency: 'EUR' });
  await broker.provision(eur);
  await until('a', 'succeeded');
  const [instanceId = ''] = bank.keys();
  assert.deepEqual(await broker.bind('a', 'b', {}), { account: instanceId, limit: '1' });

  await broker.update(eur, { parameters: { limit: 5 } });
  await until('a', 'succeeded');
  assert.equal(bank.get(instanceId), 5);
  await eventually(async () => ((await broker.bind('a', 'b', {})) as JsonObject)['limit'] === '5');

  await broker.provision(order('c', { currency: 'DM' }));
  assert.equal((await until('c', 'failed')).description, 'No bank takes DM.');
  for (const id of ['a', 'c']) {
    await broker.deprovision(id);
    await until(id, 'gone');
  }
  assert.equal(bank.size, 0);
  const secrets = { group: '', version: 'v1', plural: 'secrets', namespace: 'osb-cf-eu' };
  await eventually(async () => (await onboarding.list(secrets)).items.length === 0, { what: 'Secrets to go' });
});

function ignoreExisting(error: unknown): void {
  if (!isError(error, 'AlreadyExists')) throw error;
}
