import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isError } from '@chandlery/api';
import fc from 'fast-check';
import { startTestPlane, type TestPlane } from '../controller/test-plane.ts';
import { TestTime } from '../queue/test-timers.ts';
import { createLeaseElector, type Leadership, type LeaseElector } from './lease-elector.ts';
import { type Lease, leaseRef } from './lease-record.ts';
import { type Link, passTime, TestProcess } from './test-process.ts';

interface Candidate {
  readonly process: TestProcess;
  readonly elector: LeaseElector;
  readonly terms: Leadership[];
}

describe('A lease elector', () => {
  let plane: TestPlane;
  let names = 0;
  before(async () => {
    plane = await startTestPlane();
  });
  after(() => plane[Symbol.asyncDispose]());

  const newName = (): string => `lease-${++names}`;
  const readLease = (name: string) => plane.client.get<Lease>(leaseRef('default', name));

  interface CandidateOptions {
    readonly speed?: number;
    readonly formerIdentities?: readonly string[];
  }

  function candidate(name: string, identity: string, time: TestTime, options: CandidateOptions = {}): Candidate {
    const { speed = 1, formerIdentities = [] } = options;
    const process = new TestProcess(plane.client, time, speed);
    const terms: Leadership[] = [];
    const elector = createLeaseElector({
      ...process.timing,
      client: process.client,
      namespace: 'default',
      name,
      identity,
      formerIdentities,
      lead: term => void terms.push(term),
    });
    elector.start();
    return { process, elector, terms };
  }

  it('takes a free lease and writes it as other clients do', async () => {
    const [name, time] = [newName(), new TestTime()];
    const a = candidate(name, 'a', time);
    await a.process.settled();
    assert.ok(a.elector.isLeader);
    const { spec } = await readLease(name);
    assert.equal(spec?.holderIdentity, 'a');
    assert.equal(spec?.leaseDurationSeconds, 15);
    assert.equal(spec?.leaseTransitions, 0);
    assert.match(spec?.renewTime ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    await a.elector.stop();
  });

  it('renews it, and keeps when it was taken', async () => {
    const [name, time] = [newName(), new TestTime()];
    const a = candidate(name, 'a', time);
    await a.process.settled();
    const taken = await readLease(name);
    await passTime(time, 4000, [a.process]);
    const renewed = await readLease(name);
    assert.equal(renewed.spec?.acquireTime, taken.spec?.acquireTime);
    assert.notEqual(renewed.spec?.renewTime, taken.spec?.renewTime);
    assert.equal(a.terms.length, 1);
    await a.elector.stop();
  });

  it('gives it up when it stops, so that the next one need not wait', async () => {
    const [name, time] = [newName(), new TestTime()];
    const a = candidate(name, 'a', time);
    await a.process.settled();
    const b = candidate(name, 'b', time);
    await b.process.settled();
    await a.elector.stop();
    assert.ok(a.terms[0]?.signal.aborted);
    const released = await readLease(name);
    assert.equal(released.spec?.holderIdentity ?? '', '');
    assert.equal(released.spec?.leaseDurationSeconds, 1);
    await passTime(time, 5000, [b.process]);
    assert.ok(b.elector.isLeader);
    assert.equal((await readLease(name)).spec?.leaseTransitions, 1);
    assert.ok((b.terms[0]?.token.value ?? 0) > (a.terms[0]?.token.value ?? 0));
    await b.elector.stop();
  });

  it('takes the lease of an earlier process on its folder at once, with a greater token', async () => {
    const [name, time] = [newName(), new TestTime()];
    const killed = candidate(name, 'killed', time);
    await killed.process.settled();
    killed.process.link = 'cut';
    const stranger = candidate(name, 'stranger', time);
    await stranger.process.settled();
    const restarted = candidate(name, 'restarted', time, { formerIdentities: ['older', 'killed'] });
    await restarted.process.settled();
    assert.ok(restarted.elector.isLeader);
    assert.equal(stranger.elector.isLeader, false);
    assert.equal((await readLease(name)).spec?.leaseTransitions, 1);
    assert.ok((restarted.terms[0]?.token.value ?? 0) > (killed.terms[0]?.token.value ?? 0));
    killed.process.heal();
    await Promise.all([killed, stranger, restarted].map(({ elector }) => elector.stop()));
  });

  it('ends its leadership when it cannot renew, before another one begins', async () => {
    const [name, time] = [newName(), new TestTime()];
    const a = candidate(name, 'a', time);
    await a.process.settled();
    const b = candidate(name, 'b', time);
    await b.process.settled();
    a.process.link = 'cut';
    await passTime(time, 10_000, [a.process, b.process]);
    assert.ok(a.terms[0]?.signal.aborted);
    assert.equal(b.terms.length, 0);
    await passTime(time, 12_000, [a.process, b.process]);
    assert.ok(b.elector.isLeader);
    a.process.heal();
    await passTime(time, 10_000, [a.process, b.process]);
    assert.equal(a.elector.leader, 'b');
    await Promise.all([a.elector.stop(), b.elector.stop()]);
  });

  it('takes a lease again that was deleted under its holder', async () => {
    const [name, time] = [newName(), new TestTime()];
    const a = candidate(name, 'a', time);
    await a.process.settled();
    await plane.client.delete(leaseRef('default', name));
    await passTime(time, 3000, [a.process]);
    assert.equal((await readLease(name)).spec?.holderIdentity, 'a');
    await a.elector.stop();
  });

  it('rejects times with which there could be two leaders', () => {
    const options = { client: plane.client, namespace: 'default', name: 'x', identity: 'a', lead: () => undefined };
    const isInvalid = (error: unknown): boolean => isError(error, 'InvalidOptions');
    assert.throws(() => createLeaseElector({ ...options, leaseDurationMs: 10_000 }), isInvalid);
    assert.throws(() => createLeaseElector({ ...options, retryPeriodMs: 9000 }), isInvalid);
  });

  const commands = fc.array(
    fc.record({
      process: fc.nat(2),
      link: fc.constantFrom<Link>('fine', 'cut', 'deaf', 'slow'),
      waitMs: fc.constantFrom(500, 2000, 7000, 16_000),
    }),
    { minLength: 5, maxLength: 15 },
  );

  it('is never one of two leaders, whatever gets lost, delayed or runs at another speed', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async plan => {
        const [name, time] = [newName(), new TestTime()];
        const all = [0.95, 1, 1.05].map((speed, i) => candidate(name, `p${i}`, time, { speed }));
        const processes = all.map(({ process }) => process);
        const tokens: number[] = [];
        const check = (): void => {
          const leaders = all.filter(({ elector }) => elector.isLeader);
          assert.ok(leaders.length <= 1, 'two leaders');
          const value = leaders[0]?.terms.at(-1)?.token.value;
          if (value !== undefined && value !== tokens.at(-1)) tokens.push(value);
          for (const { elector, terms } of all)
            assert.ok(elector.isLeader || (terms.at(-1)?.signal.aborted ?? true), 'a signal came too late');
        };
        for (const { process, link, waitMs } of plan) {
          const target = processes[process];
          if (link === 'fine') target?.heal();
          else if (target) target.link = link;
          await passTime(time, waitMs, processes, check);
        }
        assert.deepEqual(
          tokens,
          tokens.toSorted((a, b) => a - b),
          'tokens rise',
        );
        for (const process of processes) process.heal();
        await passTime(time, 40_000, processes, check);
        assert.equal(all.filter(({ elector }) => elector.isLeader).length, 1, 'there is one leader in the end');
        await Promise.all(all.map(({ elector }) => elector.stop()));
      }),
      { numRuns: 10 },
    );
  });
});
