import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import type { OsbStage } from '../../../conformance/osb/support/osb-stage.ts';
import type { Answer } from '../../../conformance/osb/support/osb-target.ts';
import { bindBody, provisionBody } from '../../../conformance/osb/support/requests.ts';
import { makeInstance } from '../support/fault-world.ts';

const connections = 4;
const waiting = 6;
const calls = 30;

/** One dead broker among others. */
export function describeIsolation(stage: () => OsbStage): void {
  describe('a broker that hangs with all its connections', () => {
    test('keeps nobody from another broker, over OSB and over the Service Manager API', async () => {
      const limits = { timeout_ms: 600_000, max_connections: connections, max_waiting: waiting };
      const dead = await stage().addBroker('isolation-dead', { limits });
      const alive = await stage().addBroker('isolation-alive');
      dead.broker.misbehave({ type: 'hang' }, { times: Number.POSITIVE_INFINITY });
      const settled: Answer[] = [];
      const hanging = Array.from({ length: connections + waiting + 1 }, (_, index) =>
        dead.target
          .send('PUT', `/service_instances/dead-${index}`, { body: provisionBody('sync') })
          .then(answer => settled.push(answer)),
      );
      const rejected = await eventually(() => settled[0], { what: 'the call beyond the queue limit to be rejected' });
      assert.equal(rejected.status, 503);
      assert.match(rejected.headers.get('retry-after') ?? '', /^\d+$/);

      const statuses = await Promise.all(
        Array.from({ length: calls }, async (_, index) => {
          const path = `/service_instances/alive-${index}`;
          const made = await alive.target.send('PUT', path, { body: provisionBody('sync') });
          const bound = await alive.target.send('PUT', `${path}/service_bindings/ab-${index}`, {
            body: bindBody('sync'),
          });
          return [made.status, bound.status];
        }),
      );
      assert.deepEqual(
        statuses,
        Array.from({ length: calls }, () => [201, 201]),
      );
      await makeInstance(stage(), { name: 'beside', planId: alive.plans.get('database-async') ?? '' });
      assert.equal((await dead.target.send('GET', '/catalog')).status, 200, 'catalogs need no broker');
      assert.deepEqual(settled, [rejected], 'somebody waited for the dead broker');

      await dead.broker.stop();
      await Promise.all(hanging);
      assert.deepEqual([...new Set(settled.slice(1).map(({ status }) => status))], [502]);
    });
  });
}
