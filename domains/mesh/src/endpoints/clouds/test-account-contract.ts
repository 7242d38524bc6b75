import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import type { CloudAccount } from '../../kinds/clouds/cloud-account.ts';
import type { MachineState } from '../../model/clouds/cloud-machine.ts';
import type { Cloud } from '../../ports/clouds.ts';
import { TestTime } from '../../xds/test-time.ts';
import type { CloudConnectOptions } from './cloud-options.ts';
import { type Faults, startCloudWorld } from './test-cloud-world.ts';
import type { TestResponse } from './test-http-server.ts';

/** A response to too many requests. */
export interface Throttled {
  readonly response: TestResponse;
  /** So long no further request may come, in seconds. */
  readonly seconds: number;
}

/** An account of a cloud, whose test server is behind a proxy and a link. */
export interface AccountUnderTest extends AsyncDisposable {
  readonly client: Client;
  readonly account: Partial<CloudAccount['spec']>;
  readonly secret: Readonly<Record<string, string>>;
  readonly connect: (onRequest: NonNullable<CloudConnectOptions['onRequest']>) => Cloud;
  /** Selects the machines. */
  readonly select: object;
  /** The states that machines of the test server can have. */
  readonly states: readonly MachineState[];
  /** Where they are. */
  readonly place: { readonly region: string; readonly zone: string };
  readonly throttled: Throttled;
  readonly faults: Pick<Faults, 'respond'>;
  readonly link: { cut(): void; heal(): void };
  /** Replaces the machines; resolves with their addresses. */
  setMachines(states: readonly MachineState[]): Promise<readonly string[]>;
}

/** More than a page of each test server has. */
const manyMachines = 7;
const stepMs = 1000;

/** Runs the tests that accounts of each cloud must pass. */
export function cloudAccountContract(name: string, setUp: () => Promise<AccountUnderTest>): void {
  const start = async (options: Partial<Pick<AccountUnderTest, 'account'>> = {}) => {
    await using stack = new AsyncDisposableStack();
    const test = stack.use(await setUp());
    const statuses: (number | undefined)[] = [];
    const cloud = test.connect(status => statuses.push(status));
    const { client, secret } = test;
    const world = stack.use(await startCloudWorld({ client, cloud, secret, account: test.account, ...options }));
    await world.putResource('web', { service: 'web', ports: [{ name: 'http', port: 80 }], ...test.select });
    const owned = stack.move();
    return { ...test, ...world, statuses, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  };
  const healthy = (ips: readonly string[]): readonly string[] => [...ips].sort().map(ip => `${ip} healthy`);

  describe(`An account of ${name}`, () => {
    it('has machines in their states and places', async () => {
      await using test = await start();
      await using _controllers = test.startControllers();
      const ips = await test.setMachines(test.states);
      const wanted = ips.map((ip, no) => ({ ip, state: test.states[no], ...test.place }));
      await eventually(
        async () => {
          const sets = await test.listSets();
          const found = sets.flatMap(({ endpoints }) => endpoints);
          const shown = found.map(({ ip, state, region, zone }) => ({ ip, state, region, zone }));
          const inOrder = ips.flatMap(ip => shown.filter(endpoint => endpoint.ip === ip));
          assert.deepEqual(inOrder, wanted);
          return true;
        },
        { what: test.states.join(', ') },
      );
    });

    it('is read with all of its pages', async () => {
      await using test = await start();
      await using _controllers = test.startControllers();
      const ips = await test.setMachines(Array.from({ length: manyMachines }, () => 'Running'));
      await test.shows('web', healthy(ips));
    });

    it('is not asked before the time that the cloud asks to wait, and keeps its endpoints', async () => {
      await using test = await start();
      const ips = await test.setMachines(['Running']);
      const time = new TestTime();
      await using _controllers = test.startControllers({ clock: time.clock, timers: time });
      /** Lets time pass until there is something. */
      const until = (look: () => Promise<boolean>, what: string): Promise<boolean> =>
        eventually(
          async () => {
            time.advance(stepMs);
            return look();
          },
          { what, pauseMs: 2 },
        );
      const reasonIs = (reason: string) =>
        until(async () => (await test.readyOf())?.reason === reason, `an account that is ${reason}`);
      await reasonIs('Read');
      await test.shows('web', healthy(ips));
      const askedAtMs: number[] = [];
      test.faults.respond = () => {
        askedAtMs.push(time.nowMs());
        return test.throttled.response;
      };
      await reasonIs('CloudThrottled');
      const [firstMs = 0] = askedAtMs;
      // Requests of one read are sent at the same time.
      await sleep(100);
      askedAtMs.length = 0;
      await until(async () => askedAtMs.length > 0, 'another request');
      const [againMs = 0] = askedAtMs;
      assert.ok(againMs >= firstMs + test.throttled.seconds * 1000, `after ${againMs - firstMs} ms`);
      await test.shows('web', healthy(ips));
      test.faults.respond = undefined;
      await reasonIs('Read');
      await test.shows('web', healthy(ips));
    });

    it('keeps its endpoints while it cannot be read, and says since when, also after a restart', async () => {
      await using test = await start();
      const ips = await test.setMachines(['Running', 'Running']);
      const sinceOf = async () => (await test.listSets()).map(({ stale }) => stale?.since ?? '');
      let lost: Awaited<ReturnType<typeof test.readyOf>>;
      let since: readonly string[];
      {
        await using _controllers = test.startControllers();
        await test.shows('web', healthy(ips));
        test.link.cut();
        assert.match(await test.accountIs('CloudUnreachable'), /last known endpoints are kept/);
        await test.resourceIs('web', 'Stale');
        lost = await test.readyOf();
        since = await sinceOf();
        assert.deepEqual(
          since.map(time => Number.isNaN(Date.parse(time))),
          [false],
        );
        const failed = test.statuses.length;
        await eventually(() => test.statuses.length > failed + 2, { what: 'further reads' });
        assert.deepEqual(await test.readyOf(), lost);
        assert.deepEqual(await sinceOf(), since);
        await test.shows('web', healthy(ips));
      }
      const before = test.statuses.length;
      await using _restarted = test.startControllers();
      await eventually(() => test.statuses.length > before, { what: 'a read after the restart' });
      await sleep(50);
      assert.deepEqual((await test.readyOf())?.lastTransitionTime, lost?.lastTransitionTime);
      assert.deepEqual(await sinceOf(), since);
      await test.shows('web', healthy(ips));
      assert.match(test.provider.staleReason ?? '', /since/);
      test.link.heal();
      await test.accountIs('Read');
      await test.resourceIs('web', 'Resolved');
      await test.shows('web', healthy(ips));
      assert.deepEqual(await sinceOf(), ['']);
      assert.equal(test.provider.staleReason, undefined);
    });
  });
}
