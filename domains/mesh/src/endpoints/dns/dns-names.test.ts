import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { DnsNames, type DnsNamesOptions } from './dns-names.ts';
import type { DnsResolver } from './look-up-name.ts';

/** A resolver that responds when the test says so, and timers that only record. */
function makeWorld(options: Partial<DnsNamesOptions> = {}) {
  const open: { readonly name: string; readonly end: (ttl: number | Error) => void }[] = [];
  const timers: { readonly delayMs: number; readonly call: () => void }[] = [];
  const absent = Object.assign(new Error('no such records'), { code: 'ENODATA' });
  const resolver: DnsResolver = {
    resolve4: name =>
      new Promise((resolve, reject) => {
        const end = (ttl: number | Error): void =>
          ttl instanceof Error ? reject(ttl) : resolve([{ address: '192.0.2.1', ttl }]);
        open.push({ name, end });
      }),
    resolve6: () => Promise.reject(absent),
    resolveSrv: () => Promise.reject(absent),
  };
  const names = new DnsNames({
    resolver,
    onAnswer: () => undefined,
    random: () => 0.5,
    timers: {
      after(delayMs, call) {
        const timer = { delayMs, call };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    },
    ...options,
  });
  const answer = async (ttl: number | Error): Promise<void> => {
    open.shift()?.end(ttl);
    await turn();
  };
  return { names, open, timers, absent, answer };
}

describe('Names', () => {
  const lives: readonly (readonly [ttl: number, delayMs: number, why: string])[] = [
    [60, 60_000, 'as long as DNS says'],
    [0, 1000, 'not asked for all the time'],
    [86_400, 300_000, 'not believed for a day'],
  ];
  for (const [ttl, delayMs, why] of lives)
    it(`with a TTL of ${ttl} s are looked up again after ${delayMs} ms: ${why}`, async () => {
      const { names, timers, answer } = makeWorld();
      names.watch('web.test');
      await answer(ttl);
      assert.deepEqual(
        timers.map(timer => timer.delayMs),
        [delayMs],
      );
    });

  it('are looked up at different times', async () => {
    const delays = await Promise.all(
      [0, 0.999].map(async chance => {
        const { names, timers, answer } = makeWorld({ random: () => chance });
        names.watch('web.test');
        await answer(100);
        return timers[0]?.delayMs;
      }),
    );
    assert.deepEqual(delays, [90_000, 109_980]);
  });

  it('are looked up with increasing delay while lookups fail', async () => {
    const { names, timers, answer } = makeWorld({ random: () => 0 });
    names.watch('web.test');
    const delays: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      await answer(new Error('no answer'));
      const timer = timers.shift();
      delays.push(timer?.delayMs ?? 0);
      timer?.call();
    }
    assert.deepEqual(delays, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('keep their last good answer while lookups fail', async () => {
    const { names, timers, answer } = makeWorld();
    names.watch('web.test');
    await answer(60);
    timers.shift()?.call();
    await answer(new Error('no answer'));
    assert.equal(names.answerOf('web.test')?.targets.length, 1);
    assert.deepEqual(names.listFailures(), [['web.test', 'no answer']]);
  });

  it('that do not exist have no addresses, which is no failure', async () => {
    const { names, timers, absent, answer } = makeWorld();
    names.watch('web.test');
    await answer(absent);
    assert.deepEqual(names.answerOf('web.test'), { targets: [], ttlSeconds: undefined });
    assert.deepEqual(names.listFailures(), []);
    assert.deepEqual(
      timers.map(({ delayMs }) => delayMs),
      [30_000],
    );
  });

  it('are looked up a few at a time', async () => {
    const { names, open, answer } = makeWorld({ concurrency: 2 });
    for (const name of ['a.test', 'b.test', 'c.test']) names.watch(name);
    assert.deepEqual(
      open.map(({ name }) => name),
      ['a.test', 'b.test'],
    );
    await answer(60);
    assert.deepEqual(
      open.map(({ name }) => name),
      ['b.test', 'c.test'],
    );
  });

  it('have one lookup at a time, also when dropped and watched again', async () => {
    const { names, open, answer } = makeWorld();
    names.watch('web.test');
    names.watch('web.test');
    names.forget('web.test');
    names.watch('web.test');
    assert.equal(open.length, 1);
    await answer(60);
    assert.equal(names.answerOf('web.test'), undefined, 'the answer was for somebody else');
    assert.equal(open.length, 1);
    await answer(60);
    assert.equal(names.answerOf('web.test')?.targets.length, 1);
  });

  it('are settled after one lookup each, successful or not', async () => {
    const { names, answer } = makeWorld();
    for (const name of ['a.test', 'b.test', '192.0.2.1', 'gone.test']) names.watch(name);
    let isSettled = false;
    const settled = names.settled().then(() => {
      isSettled = true;
    });
    await answer(60);
    await answer(new Error('no answer'));
    assert.ok(!isSettled);
    names.forget('gone.test');
    await settled;
  });

  it('are not looked up after disposal', async () => {
    const { names, timers, answer } = makeWorld();
    names.watch('web.test');
    await answer(60);
    names[Symbol.dispose]();
    assert.deepEqual(timers, []);
  });
});
