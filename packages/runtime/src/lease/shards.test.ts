import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { startTestPlane, type TestPlane } from '../controller/test-plane.ts';
import { TestTime } from '../queue/test-timers.ts';
import { memberOfShard, shardOfKey } from './rendezvous.ts';
import { planShards } from './shard-claims.ts';
import { createShards, type Shards } from './shards.ts';
import { type Link, passTime, TestProcess } from './test-process.ts';

const everyShard = Array.from({ length: 64 }, (_, shard) => shard);
const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);

describe('Rendezvous hashing', () => {
  it('moves only the shards of the member that comes or goes', () => {
    const before = everyShard.map(shard => memberOfShard(shard, ['a', 'b', 'c']));
    const after = everyShard.map(shard => memberOfShard(shard, ['a', 'b']));
    for (const [shard, member] of before.entries()) if (member !== 'c') assert.equal(after[shard], member);
    assert.equal(memberOfShard(1, []), undefined);
  });

  it('gives everybody a fair share, in any order of members', () => {
    const members = ['a', 'b', 'c', 'd'];
    for (const member of members) {
      const share = everyShard.filter(shard => memberOfShard(shard, members) === member).length;
      assert.ok(share >= 6 && share <= 30, `${member} has ${share} of 64`);
    }
    const backwards = members.toReversed();
    for (const shard of everyShard) assert.equal(memberOfShard(shard, members), memberOfShard(shard, backwards));
  });

  it('puts a key into one of the shards, always the same', () => {
    fc.assert(
      fc.property(fc.string(), key => {
        const shard = shardOfKey(key, 64);
        return shard >= 0 && shard < 64 && shard === shardOfKey(key, 64);
      }),
    );
  });
});

describe('A plan for shards', () => {
  const none = new Set<number>();
  const every = new Set(everyShard);

  it('claims before it owns', () => {
    const view = { identity: 'a', shards: 64, owned: none, claimed: none, others: [] };
    assert.deepEqual(planShards(view).gained, []);
    assert.deepEqual(planShards({ ...view, claimed: every }).gained, everyShard);
  });

  it('takes nothing that somebody else claims, and lets go of what is no longer its own', () => {
    const others = [{ identity: 'b', claims: every }];
    const plan = planShards({ identity: 'a', shards: 64, owned: none, claimed: every, others });
    assert.deepEqual(plan.gained, []);
    const old = planShards({
      identity: 'b',
      shards: 64,
      owned: every,
      claimed: every,
      others: [{ identity: 'a', claims: none }],
    });
    assert.deepEqual(new Set(old.lost), plan.desired);
  });
});

interface Member {
  readonly process: TestProcess;
  readonly shards: Shards;
}

describe('Shards', () => {
  let plane: TestPlane;
  let groups = 0;
  before(async () => {
    plane = await startTestPlane();
  });
  after(() => plane[Symbol.asyncDispose]());

  function member(
    group: string,
    time: TestTime,
    {
      identity = '',
      speed = 1,
      onLost = () => {},
    }: { identity?: string; speed?: number; onLost?: () => void | Promise<void> },
  ): Member {
    const process = new TestProcess(plane.client, time, speed);
    const shards = createShards({ ...process.timing, client: process.client, group, identity, onLost });
    shards.start();
    return { process, shards };
  }

  it('all belong to the only member, and are shared with the next one', async () => {
    const [group, time] = [`group-${++groups}`, new TestTime()];
    const a = member(group, time, { identity: 'a' });
    await passTime(time, 1000, [a.process]);
    assert.deepEqual(a.shards.owned, everyShard);
    assert.ok(a.shards.owns('default/x'));
    const b = member(group, time, { identity: 'b' });
    await passTime(time, 10_000, [a.process, b.process]);
    assert.deepEqual(sorted([...a.shards.owned, ...b.shards.owned]), everyShard);
    assert.ok(a.shards.owned.length > 0 && b.shards.owned.length > 0);
    assert.notEqual(a.shards.owns('default/x'), b.shards.owns('default/x'));
    await a.shards.stop();
    await passTime(time, 5000, [b.process]);
    assert.deepEqual(b.shards.owned, everyShard);
    await b.shards.stop();
  });

  it('move only when the old owner has finished', async () => {
    const [group, time] = [`group-${++groups}`, new TestTime()];
    const finished = Promise.withResolvers<void>();
    const a = member(group, time, { identity: 'a', onLost: () => finished.promise });
    await passTime(time, 1000, [a.process]);
    const b = member(group, time, { identity: 'b' });
    await passTime(time, 30_000, [a.process, b.process]);
    assert.deepEqual(b.shards.owned, []);
    finished.resolve();
    await passTime(time, 5000, [a.process, b.process]);
    assert.deepEqual(sorted([...a.shards.owned, ...b.shards.owned]), everyShard);
    await Promise.all([a.shards.stop(), b.shards.stop()]);
  });

  it('of a member that died move when its lease has expired', async () => {
    const [group, time] = [`group-${++groups}`, new TestTime()];
    const a = member(group, time, { identity: 'a' });
    const b = member(group, time, { identity: 'b' });
    await passTime(time, 10_000, [a.process, b.process]);
    a.process.link = 'cut';
    await passTime(time, 9000, [a.process, b.process]);
    assert.notDeepEqual(b.shards.owned, everyShard);
    await passTime(time, 15_000, [a.process, b.process]);
    assert.deepEqual([a.shards.owned, b.shards.owned], [[], everyShard]);
    a.process.heal();
    await Promise.all([a.shards.stop(), b.shards.stop()]);
  });

  const commands = fc.array(
    fc.record({
      process: fc.nat(2),
      link: fc.constantFrom<Link>('fine', 'cut', 'deaf', 'slow'),
      waitMs: fc.constantFrom(500, 3000, 16_000),
    }),
    { minLength: 4, maxLength: 10 },
  );

  it('never have two owners, whatever gets lost, delayed or runs at another speed', async () => {
    await fc.assert(
      fc.asyncProperty(commands, async plan => {
        const [group, time] = [`group-${++groups}`, new TestTime()];
        const all = [0.95, 1, 1.05].map((speed, i) => member(group, time, { identity: `p${i}`, speed }));
        const processes = all.map(({ process }) => process);
        const check = (): void => {
          const owned = all.flatMap(({ shards }) => shards.owned);
          assert.equal(new Set(owned).size, owned.length, 'a shard has two owners');
        };
        for (const { process, link, waitMs } of plan) {
          const target = processes[process];
          if (link === 'fine') target?.heal();
          else if (target) target.link = link;
          await passTime(time, waitMs, processes, check);
        }
        for (const process of processes) process.heal();
        await passTime(time, 45_000, processes, check);
        assert.deepEqual(sorted(all.flatMap(({ shards }) => shards.owned)), everyShard);
        await Promise.all(all.map(({ shards }) => shards.stop()));
      }),
      { numRuns: 4 },
    );
  });
});
