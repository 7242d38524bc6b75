import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { list, type OsbStage, type StagedBroker } from '../../../conformance/osb/support/osb-stage.ts';
import { throughTarget } from '../../../conformance/osb/support/osb-target.ts';
import { bindBody, provisionBody } from '../../../conformance/osb/support/requests.ts';
import { impatient, makeBinding, makeInstance, resourceOf, untilState } from '../support/fault-world.ts';

/** Brokers that disappear while something large is deleted. */
export function describeCascades(stage: () => OsbStage): void {
  describe('a broker that disappears during a cascade', () => {
    test('of a platform: the rest goes on, nothing is lost from view, and it ends clean when the broker is back', async () => {
      const [steady, dying] = [
        await stage().addBroker('cascade-steady', { limits: impatient }),
        await stage().addBroker('cascade-dying', { limits: impatient }),
      ];
      const platformId = await furnishPlatform(stage(), { steady, dying });
      // The first deletion reaches the broker, and then there is no broker any more.
      dying.broker.misbehave({ type: 'hang' }, { method: 'DELETE', acts: true });
      const cascade = await stage().ask('DELETE', `/v1/platforms/${platformId}?cascade=true`);
      assert.equal(resourceOf(cascade), platformId);
      await eventually(() => dying.broker.requests.some(({ method }) => method === 'DELETE'), { what: 'a deletion' });
      await dying.broker.stop();
      await eventually(() => steady.broker.instances.size === 0, { what: 'the other broker to be empty' });
      const left = await list(stage().ask, 'service_instances', `platform_id eq '${platformId}'`);
      assert.ok(left.length > 0, 'instances of the dead broker are lost from view');
      assert.equal((await stage().ask('GET', `/v1/platforms/${platformId}`)).status, 200);
      const again = await stage().ask('DELETE', `/v1/platforms/${platformId}?cascade=true`);
      assert.equal(again.location, cascade.location, 'the same cascade');
      await dying.broker.start();
      await untilState(stage(), platformId, { type: 'delete', state: 'succeeded' });
      assert.deepEqual([dying.broker.instances.size, dying.broker.bindings.size], [0, 0]);
      assert.equal((await stage().ask('GET', `/v1/platforms/${platformId}`)).status, 404);
      assert.deepEqual(await list(stage().ask, 'service_instances', `platform_id eq '${platformId}'`), []);
    });

    test('of an instance, forced: it is forgotten, and the operation says what may be left', async () => {
      const shop = await stage().addBroker('cascade-forced', { limits: impatient });
      const planId = shop.plans.get('database-sync') ?? '';
      const id = await makeInstance(stage(), { name: 'forced', planId });
      const binding = await makeBinding(stage(), 'forced-b', id);
      await shop.broker.stop();
      resourceOf(await stage().ask('DELETE', `/v1/service_instances/${id}?cascade=true&force=true`));
      const operation = await untilState(stage(), id, { type: 'delete', state: 'succeeded' });
      assert.match(JSON.stringify(operation), /cascade-forced/);
      assert.equal((await stage().ask('GET', `/v1/service_instances/${id}`)).status, 404);
      assert.equal((await stage().ask('GET', `/v1/service_bindings/${binding}`)).status, 404);
    });
  });
}

/** A platform with an instance and a binding at each broker. */
async function furnishPlatform(stage: OsbStage, brokers: Readonly<Record<string, StagedBroker>>): Promise<string> {
  const { body } = await stage.ask('POST', '/v1/platforms', { name: 'doomed', type: 'kubernetes' });
  const platform = body as unknown as { id: string; credentials: { basic: { username: string; password: string } } };
  const login = platform.credentials.basic;
  for (const [name, { id, broker }] of Object.entries(brokers)) {
    const { send } = throughTarget(stage.landscape, { broker, brokerId: id, name, login });
    for (const instance of [`${name}-1`, `${name}-2`]) {
      const path = `/service_instances/${instance}`;
      assert.equal((await send('PUT', path, { body: provisionBody('sync') })).status, 201);
      const bound = await send('PUT', `${path}/service_bindings/${instance}-b`, { body: bindBody('sync') });
      assert.equal(bound.status, 201);
    }
  }
  return platform.id;
}
