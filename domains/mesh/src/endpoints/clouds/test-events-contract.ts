import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@chandlery/client';
import { findCondition } from '@chandlery/runtime';
import { eventually } from '@chandlery/testing';
import { type CloudAccount, cloudAccounts } from '../../kinds/clouds/cloud-account.ts';
import type { Cloud } from '../../ports/clouds.ts';
import type { MachineEvents } from '../../ports/machine-events.ts';
import { startCloudWorld } from './test-cloud-world.ts';

/** A cloud with one account, whose events are in one queue. */
export interface EventsUnderTest extends AsyncDisposable {
  readonly client: Client;
  /** Connects to the test server. */
  readonly cloud: Cloud;
  /** Names the queue. */
  readonly account: Partial<CloudAccount['spec']>;
  readonly secret: Readonly<Record<string, string>>;
  /** Credentials that may not read the queue. Default: the test server accepts all. */
  readonly deniedSecret?: Readonly<Record<string, string>>;
  readonly events: {
    /** Events about machines of the account, in all forms that the cloud has. */
    readonly changes: readonly object[];
    /** Events that others have, by the reason why they are dropped. */
    readonly foreign: readonly (readonly [reason: RegExp, event: object])[];
  };
  readonly link: { cut(): void; heal(): void };
  /** Puts a text into the queue, as the cloud encodes it. */
  send(text: string): void | Promise<void>;
  /** How many messages are in the queue. */
  left(): number | Promise<number>;
  setMissing(isMissing: boolean): void | Promise<void>;
  /** Replaces the machines that {@link select} selects. Their addresses. */
  setMachines(count: number): Promise<readonly string[]>;
  readonly select: object;
}

const malformed: readonly (readonly [reason: RegExp, text: string])[] = [
  [/is no JSON$/, 'You have successfully configured this feed'],
  [/is no JSON$/, ''],
  [/is no JSON object/, 'null'],
  [/is no JSON object/, '[{}]'],
  [/it is no/, '{}'],
  [/it is no/, '{"__proto__":{"source":"aws.ec2"}}'],
  [/is no JSON object/, `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  [/larger than an event/, JSON.stringify({ detail: 'x'.repeat(100_000) })],
];

const signal = (): AbortSignal => AbortSignal.timeout(30_000);

/** Runs the tests that the queue of events of each cloud must pass. */
export function machineEventsContract(name: string, setUp: () => Promise<EventsUnderTest>): void {
  const connect = async (test: EventsUnderTest, secret = test.secret): Promise<MachineEvents> => {
    const account: CloudAccount['spec'] = { pollSeconds: 30, ...test.account };
    const [events, ...more] = await test.cloud.connectEvents({ account, secret });
    assert.ok(events !== undefined && more.length === 0);
    assert.equal(test.cloud.eventQueuesOf(account).length, 1);
    return events;
  };
  /** Receives a single message, and removes it. */
  const take = async (events: MachineEvents) => {
    const [received, ...more] = await events.receive(1, signal());
    assert.ok(received !== undefined && more.length === 0);
    await events.remove([received.receipt], signal());
    return received;
  };

  describe(`Events of ${name}`, () => {
    it('about machines of the account are changes', async () => {
      await using test = await setUp();
      const events = await connect(test);
      for (const change of test.events.changes) {
        await test.send(JSON.stringify(change));
        assert.deepEqual((await take(events)).event, { type: 'change' }, JSON.stringify(change));
      }
      assert.equal(await test.left(), 0);
    });

    it('may be removed twice, and come together', async () => {
      await using test = await setUp();
      const events = await connect(test);
      const [change] = test.events.changes;
      await test.send(JSON.stringify(change));
      await test.send(JSON.stringify(change));
      const seen = new Set<string>();
      while (seen.size < 2) for (const { receipt } of await events.receive(events.batch, signal())) seen.add(receipt);
      await events.remove([...seen], signal());
      await events.remove([...seen], signal());
      assert.equal(await test.left(), 0);
    });

    it('of others, and messages that are no events, are dropped with a reason that does not quote them', async () => {
      await using test = await setUp();
      const events = await connect(test);
      const cases = [
        ...malformed,
        ...test.events.foreign.map(([reason, event]) => [reason, JSON.stringify(event)] as const),
      ];
      for (const [reason, text] of cases) {
        if (text === '' && name === 'AWS') continue; // SQS does not accept it.
        await test.send(text);
        const { event } = await take(events);
        assert.ok(event.type === 'dropped', text.slice(0, 200));
        assert.match(event.reason, reason, text.slice(0, 200));
      }
    });

    it('are not received while the queue is missing or not allowed, or nobody responds', async () => {
      await using test = await setUp();
      const events = await connect(test);
      await test.setMissing(true);
      await assert.rejects(events.receive(1, signal()), { code: 'CloudQueueMissing' });
      await test.setMissing(false);
      if (test.deniedSecret !== undefined) {
        const denied = await connect(test, test.deniedSecret);
        await assert.rejects(denied.receive(1, signal()), { code: 'CloudDenied' });
      }
      test.link.cut();
      await assert.rejects(events.receive(1, signal()), { code: 'CloudUnreachable' });
    });
  });

  const start = async (test: EventsUnderTest, pollSeconds: number) => {
    const account = { ...test.account, pollSeconds };
    const world = await startCloudWorld({ ...test, account });
    const controllers = world.startControllers();
    await world.putResource('web', { service: 'web', ports: [{ name: 'http', port: 80 }], ...test.select });
    return {
      ...world,
      showsMachines: async (count: number) => {
        const ips = await test.setMachines(count);
        return () =>
          world.shows(
            'web',
            [...ips].sort().map(ip => `${ip} healthy`),
          );
      },
      eventsAre: async (reason: string) => {
        // A queue that waits for messages responds sooner when it has one.
        if (reason === 'Receiving') await test.send('null');
        return eventually(
          async () => {
            const object = await test.client.get({ ...cloudAccounts.ref, namespace: 'default', name: 'prod' });
            const condition = findCondition(object, 'EventsReceived');
            return condition?.reason === reason ? condition : undefined;
          },
          { what: `events that are ${reason}`, timeoutMs: 30_000 },
        );
      },
      [Symbol.asyncDispose]: async () => {
        await controllers[Symbol.asyncDispose]();
        await world[Symbol.asyncDispose]();
      },
    };
  };

  describe(`An account of ${name} with events`, () => {
    it('is read when an event comes, between its polls, whatever else is in the queue', async () => {
      await using test = await setUp();
      const showsFirst = await test.setMachines(1);
      await using world = await start(test, 3600);
      await world.shows(
        'web',
        showsFirst.map(ip => `${ip} healthy`),
      );
      await world.eventsAre('Receiving');
      const shows = await world.showsMachines(2);
      for (const [, text] of malformed) if (text !== '') await test.send(text);
      for (const [, event] of test.events.foreign) await test.send(JSON.stringify(event));
      for (let times = 0; times < 3; times += 1) await test.send(JSON.stringify(test.events.changes[0]));
      await shows();
      await eventually(async () => (await test.left()) === 0, { what: 'an empty queue' });
    });

    it('is polled as before while its queue is missing, and says so', async () => {
      await using test = await setUp();
      await test.setMissing(true);
      await using world = await start(test, 5);
      const { status, message } = await world.eventsAre('CloudQueueMissing');
      assert.equal(status, 'False');
      assert.match(message ?? '', /changes are found by polling/);
      const shows = await world.showsMachines(2);
      await shows();
      await world.accountIs('Read');
      await test.setMissing(false);
      await world.eventsAre('Receiving');
    });

    it('is polled as well, for changes that have no event', async () => {
      await using test = await setUp();
      await using world = await start(test, 5);
      await world.eventsAre('Receiving');
      const shows = await world.showsMachines(2);
      await shows();
    });

    it('leaves its queue alone once it is deleted', async () => {
      await using test = await setUp();
      await using world = await start(test, 5);
      await world.eventsAre('Receiving');
      await eventually(async () => (await test.left()) === 0, { what: 'an empty queue' });
      await test.client.delete({ ...cloudAccounts.ref, namespace: 'default', name: 'prod' });
      await world.resourceIs('web', 'UnknownAccount');
      await test.send(JSON.stringify(test.events.changes[0]));
      await sleep(300);
      assert.equal(await test.left(), 1);
    });
  });
}
