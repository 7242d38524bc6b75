import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { silentLogger } from '@chandlery/platform';
import { createBrokerConnections } from '../../../../adapters/broker-connections/broker-connections.ts';
import { startOperationEngine } from '../../../../controllers/operations/start-operation-engine.ts';
import { defaultBrokerSettings } from '../../../../settings.ts';
import { type ScriptedBroker, startScriptedBroker } from '../../../../test-broker/scripted-broker.ts';
import { type Answer, startTestRest, type TestRest } from '../../test-rest.ts';

const instances = '/v1/service_instances';
const bindings = '/v1/service_bindings';

describe('instances and bindings over HTTP', () => {
  const stack = new AsyncDisposableStack();
  let rest: TestRest;
  let broker: ScriptedBroker;
  let plans: ReadonlyMap<string, string>;
  let count = 0;

  before(async () => {
    const settings = { ...defaultBrokerSettings, pollingIntervalMs: 10 };
    broker = stack.use(await startScriptedBroker());
    rest = stack.use(await startTestRest({ settings }));
    const { registry } = rest;
    const logger = silentLogger;
    const connections = stack.use(createBrokerConnections({ registry, internalBrokers: new Map(), settings, logger }));
    stack.use(startOperationEngine({ registry, connections, settings, logger }));
    const basic = { username: 'admin', password: 'broker-password' };
    const body = { name: 'scripted', broker_url: broker.url, credentials: { basic } };
    assert.equal((await rest.ask('POST', '/v1/service_brokers', { body })).status, 201);
    plans = new Map([...registry.plans.all()].map(({ id, spec }) => [planKey(spec.offeringId, spec.name), id]));
  });
  after(() => stack.disposeAsync());

  const planKey = (offeringId: string, name: string) =>
    `${rest.registry.offerings.get(offeringId)?.spec.name ?? ''}/${name}`;
  const provision = (plan: string, more: JsonObject = {}, query = ''): Promise<Answer> =>
    rest.ask('POST', `${instances}${query}`, {
      body: { name: `http-${++count}`, service_plan_id: plans.get(plan) ?? plan, ...more },
    });
  const idOf = ({ body }: Answer): string => body['id'] as string;
  const locationOf = ({ headers }: Answer): string => headers.get('location') ?? '';
  const ended = async (location: string): Promise<JsonObject> => {
    const id = location.split('/').at(-1) ?? '';
    const isOver = (state: string | undefined) => state === 'succeeded' || state === 'failed';
    await rest.registry.operations.until(id, row => isOver(row?.status.state), AbortSignal.timeout(10_000));
    return (await rest.ask('GET', location)).body;
  };

  test('a new instance is shown whole, with its last operation', async () => {
    const answer = await provision('database/sync', { labels: { env: ['dev'] } });
    assert.equal(answer.status, 201);
    const { body } = answer;
    assert.deepEqual(
      [body['ready'], body['usable'], body['platform_id'], body['labels']],
      [true, true, 'service-manager', { env: ['dev'] }],
    );
    assert.equal((body['last_operation'] as JsonObject)['state'], 'succeeded');
    assert.equal((body['context'] as JsonObject)['instance_name'], body['name']);
    const query = encodeURIComponent(`context/instance_name eq '${body['name'] as string}'`);
    const list = await rest.ask('GET', `${instances}?fieldQuery=${query}`);
    assert.deepEqual([list.body['num_items'], ((list.body['items'] as JsonObject[])[0] ?? {})['id']], [1, body['id']]);
  });

  test('async=true answers 202 with the place of the operation, and the instance is there', async () => {
    const answer = await provision('database/async', {}, '?async=true');
    assert.deepEqual([answer.status, answer.body], [202, {}]);
    const location = locationOf(answer);
    assert.match(location, /^\/v1\/service_instances\/[^/]+\/operations\/[^/]+$/);
    assert.equal((await rest.ask('GET', location.split('/operations/')[0] ?? '')).status, 200);
    assert.equal((await ended(location))['state'], 'succeeded');
  });

  test('the same request with the same key is done once', async () => {
    const ask = {
      body: { name: 'once', service_plan_id: plans.get('database/sync') },
      headers: { 'idempotency-key': 'k' },
    };
    const [one, other] = await Promise.all([rest.ask('POST', instances, ask), rest.ask('POST', instances, ask)]);
    const again = await rest.ask('POST', instances, ask);
    assert.equal(again.status, 201);
    for (const answer of [one, other]) assert.ok(answer.status === 201 || answer.status === 202);
    assert.equal(rest.registry.instances.count('name', 'once'), 1);
    const changed = { ...ask, body: { ...ask.body, name: 'twice' } };
    assert.equal((await rest.ask('POST', instances, changed)).status, 422);
  });

  test('of two concurrent changes one gets ConcurrentOperationInProgress', async () => {
    const id = idOf(await provision('database/sync'));
    broker.misbehave({ type: 'delay', ms: 200 }, { method: 'PATCH' });
    const change = (size: number) => rest.ask('PATCH', `${instances}/${id}`, { body: { parameters: { size } } });
    const answers = await Promise.all([change(1), change(2)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422]);
    const rejection = answers.find(({ status }) => status === 422);
    assert.equal(rejection?.body['error'], 'ConcurrentOperationInProgress');
  });

  test('credentials are in the answers about one binding, not in lists', async () => {
    const id = idOf(await provision('database/sync'));
    const bound = await rest.ask('POST', bindings, { body: { name: 'b', service_instance_id: id } });
    assert.equal(bound.status, 201);
    assert.ok(bound.body['credentials'] !== undefined);
    const one = await rest.ask('GET', `${bindings}/${idOf(bound)}`);
    assert.deepEqual(one.body['credentials'], bound.body['credentials']);
    const query = encodeURIComponent(`service_instance_id eq '${id}'`);
    const list = await rest.ask('GET', `${bindings}?fieldQuery=${query}`);
    const [listed = {}] = list.body['items'] as JsonObject[];
    assert.deepEqual([listed['id'], 'credentials' in listed], [bound.body['id'], false]);
    const rejected = await rest.ask('DELETE', `${instances}/${id}`);
    assert.equal(rejected.body['description'], 'could not delete instance due to 1 existing bindings');
  });

  test('a shared instance is bound through a reference and goes with it by cascade', async () => {
    const shared = idOf(await provision('database/shared'));
    assert.equal((await rest.ask('PATCH', `${instances}/${shared}`, { body: { shared: true } })).status, 200);
    const parameters = { selectors: { instance_label_selector: ["env ne 'nowhere'"], plan_name_selector: 'shared' } };
    const reference = await provision('database/reference-instance', { parameters });
    assert.deepEqual([reference.status, reference.body['referenced_instance_id']], [201, shared]);
    const name = 'through';
    const bound = await rest.ask('POST', bindings, { body: { name, service_instance_id: idOf(reference) } });
    assert.equal(bound.status, 201);
    const cascade = `${instances}/${shared}?cascade=true`;
    const [first, again] = [await rest.ask('DELETE', cascade), await rest.ask('DELETE', cascade)];
    assert.equal(first.status, 202);
    // The engine may have been faster than the second request.
    if (again.status !== 404) assert.equal(locationOf(again), locationOf(first));
    const id = locationOf(first).split('/').at(-1) ?? '';
    await rest.registry.operations.until(id, row => row?.status.state === 'succeeded', AbortSignal.timeout(10_000));
    for (const gone of [shared, idOf(reference)]) assert.equal(rest.registry.instances.get(gone), undefined);
    assert.deepEqual([broker.instances.has(shared), broker.bindings.has(idOf(bound))], [false, false]);
  });

  test("a broker's rejection is returned with its facts, and a failed operation can be retried", async () => {
    const rejection = { type: 'answer', status: 400, body: { error: 'Full', description: 'no room' } } as const;
    broker.misbehave(rejection, { method: 'PUT' });
    const notified = await provision('database/sync');
    assert.equal(notified.body['error'], 'BrokerError');
    assert.deepEqual(
      [notified.body['broker'], notified.body['broker_status'], notified.body['broker_error']],
      ['scripted', 400, 'Full'],
    );
    broker.misbehave(rejection, { method: 'PUT' });
    const location = locationOf(await provision('database/sync', {}, '?async=true'));
    assert.equal((await ended(location))['state'], 'failed');
    const retried = await rest.ask('POST', `/v1/operations/${location.split('/').at(-1)}/retry`);
    assert.deepEqual([retried.status, locationOf(retried)], [202, location]);
    assert.equal((await ended(location))['state'], 'succeeded');
  });

  test('live parameters, and import of what the broker already has', async () => {
    const answer = await provision('database/sync', { parameters: { size: 9 } });
    const id = idOf(answer);
    assert.deepEqual((await rest.ask('GET', `${instances}/${id}/parameters`)).body, { size: 9 });
    const row = rest.registry.instances.get(id);
    assert.ok(row !== undefined);
    await rest.registry.commit([{ type: 'remove', table: 'instances', row }]);
    const body = { id, name: 'imported', service_plan_id: plans.get('database/sync') };
    const imported = await rest.ask('POST', `${instances}/import`, { body });
    assert.deepEqual([imported.status, imported.body['id'], imported.body['ready']], [201, id, true]);
    assert.equal((await rest.ask('POST', `${instances}/import`, { body })).status, 409);
    assert.equal((await rest.ask('POST', `${instances}/import`, { as: 'user all@a', body })).status, 403);
  });
});
