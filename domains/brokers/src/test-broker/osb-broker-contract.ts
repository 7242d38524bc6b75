import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '@chandlery/api';
import { describeBindings } from './binding-contract.ts';
import { bodyOf, type Call, type Method, type OsbBrokerUnderTest, type World } from './contract-world.ts';
import { describeSlowInstances, describeSyncInstances } from './instance-contract.ts';

/** What every broker answers that is asked as the specification says. Each test has instances of its own. */
export function osbBrokerContract(name: string, start: () => Promise<OsbBrokerUnderTest>): void {
  describe(`OSB of ${name}`, () => {
    let started: OsbBrokerUnderTest | undefined;
    before(async () => {
      started = await start();
    });
    after(() => started?.[Symbol.asyncDispose]());
    const world = (): OsbBrokerUnderTest => {
      assert.ok(started, 'the broker could not be started');
      return started;
    };
    const call = (method: Method, path: string, body?: JsonObject) =>
      world().connection.call({
        method,
        path: `/v2/${path}`,
        headers: { 'x-broker-api-version': '2.17', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    describeCatalog(world, call);
    describeSyncInstances(world, call);
    describeSlowInstances(world, call);
    describeBindings(world, call);
  });
}

function describeCatalog(world: World, call: Call): void {
  it('shows offerings with plans', async () => {
    const answer = await call('GET', 'catalog');
    assert.equal(answer.status, 200);
    const services = bodyOf(answer)['services'] as { id: string; bindable: boolean; plans: { id: string }[] }[];
    const { serviceId, planId } = world().syncPlan;
    const offering = services.find(({ id }) => id === serviceId);
    assert.equal(offering?.bindable, true);
    assert.ok(offering.plans.some(({ id }) => id === planId));
  });

  it('rejects a request without a version', async () => {
    const answer = await world().connection.call({ method: 'GET', path: '/v2/catalog', headers: {} });
    assert.equal(answer.status, 412);
  });
}
