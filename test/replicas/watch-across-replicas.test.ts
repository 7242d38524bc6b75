import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@chandlery/client';
import { eventually, longRun } from '@chandlery/testing';
import { startWork } from '../durability/support/background-work.ts';
import { Counter } from '../durability/support/counter.ts';
import { checkLeadsTo, selectEven } from '../durability/support/event-chain.ts';
import { Follower } from '../durability/support/follower.ts';
import { clientOf, configMaps } from '../durability/support/landscape-client.ts';
import { withSeed } from '../durability/support/seeded.ts';
import { revisionOf, stepObject } from '../durability/support/step-object.ts';
import { Writer } from '../durability/support/writer.ts';
import { type Replicas, startReplicas } from './start-replicas.ts';

const crashes = longRun(6, 4);

describe('three replicas', () => {
  let replicas: Replicas;
  before(async () => {
    replicas = await startReplicas(3);
  });
  after(() => replicas[Symbol.asyncDispose]());

  test('watchers on all of them see one history, in order and whole, while replicas are killed and come back', () =>
    withSeed(async random => {
      await using stack = new AsyncDisposableStack();
      const clients = replicas.all.map(replica => stack.use(clientOf(replica, 'onboarding')));
      const [first] = clients as [(typeof clients)[0]];
      const revision = (await first.list(configMaps)).metadata.resourceVersion ?? '';
      const hopping = random.fork();
      const follow = (options: Partial<ConstructorParameters<typeof Follower>[0]>) =>
        stack.use(new Follower({ client: () => first, collection: configMaps, revision, ...options }));
      const settled = clients.map(client => follow({ client: () => client }));
      const hopper = follow({ client: () => hopping.pick(clients), timeoutSeconds: 1 });
      const even = follow({ client: () => hopping.pick(clients), labelSelector: 'parity=even' });

      // All write without a pause when one is killed; while it starts again the others need not be kept busy.
      let isStarting = false;
      const maxRestMs = (): number => (isStarting ? 150 : 4);
      const writerOf = (client: () => Client, prefix: string) =>
        new Writer({ client, random: random.fork(), prefix, maxRestMs });
      const writers = clients.flatMap((client, no) => [1, 2].map(twin => writerOf(() => client, `w${no}-${twin}`)));
      const nomad = writerOf(() => hopping.pick(clients), 'nomad');
      const everybody = [...writers, nomad];
      const counter = new Counter('counter');
      await counter.create(first);
      await using work = startWork(stop => [
        ...everybody.map(writer => writer.run(stop)),
        ...clients.map(client => counter.run(() => client, random.fork(), stop, maxRestMs)),
      ]);
      const total = (): number => everybody.reduce((sum, { ledger }) => sum + ledger.acknowledged, 0);
      const writeSome = (count: number) => {
        const goal = total() + count;
        return eventually(() => total() >= goal, { timeoutMs: 60_000, what: 'writes' });
      };

      for (let round = 0; round < crashes; round++) {
        await writeSome(random.between(10, 100));
        await sleep(random.between(0, 20));
        const victim = random.pick(replicas.all);
        await victim.kill9();
        await writeSome(random.between(1, 50));
        isStarting = true;
        await victim.restart();
        isStarting = false;
      }
      await writeSome(50);
      await work.stop();

      await counter.settle(first);
      const { items } = await first.list(configMaps);
      for (const { ledger } of everybody) ledger.settleAll(items);
      const created = await first.create(configMaps, stepObject('last', 1));
      const last = await first.update(
        { ...configMaps, name: 'last' },
        stepObject('last', 2, created.metadata.resourceVersion),
      );
      await Promise.all([...settled, hopper, even].map(follower => follower.reach('last', revisionOf(last))));
      const [reference] = settled as [Follower];
      checkLeadsTo(reference.events, (await first.list(configMaps)).items);
      for (const follower of [...settled, hopper]) assert.deepEqual(follower.events, reference.events);
      assert.deepEqual(even.events, selectEven(reference.events));
    }));

  test('a counter that two of them count up by optimistic concurrency ends exact', async () => {
    await using stack = new AsyncDisposableStack();
    const clients = replicas.all.slice(0, 2).map(replica => stack.use(clientOf(replica, 'onboarding')));
    const [first] = clients as [(typeof clients)[0]];
    const counter = new Counter('exact-counter');
    await counter.create(first);
    const wanted = 100;
    const workers = [0, 1, 2, 3].map(async no => {
      while (counter.acknowledged < wanted) assert.ok(await counter.increment(clients[no % 2] ?? first));
    });
    await Promise.all(workers);
    assert.ok(counter.conflicts > 0, 'they never met');
    await counter.settle(first);
  });
});
