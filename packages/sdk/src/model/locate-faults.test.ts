import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { userError } from '../definition/user-error.ts';
import { Bank, fooProvider } from '../test-provider.ts';
import { locateFaults, originOf } from './locate-faults.ts';

const withStack = (stack: string): Error => Object.assign(new Error('kaboom'), { stack });

describe('The origin of an error', () => {
  const cases: readonly { why: string; stack: string; origin: string | undefined }[] = [
    {
      why: 'the first frame in own code, below those of Node.js, of libraries and of the SDK',
      stack: `Error: kaboom
    at node:internal/x:1:1
    at query (/srv/ice/node_modules/pg/lib/client.js:7:3)
    at pack (file://${import.meta.dirname}/desired-objects.ts:3:9)
    at async desired (file:///srv/ice/provider.ts:42:11)
    at main (file:///srv/ice/main.ts:1:1)`,
      origin: 'provider.ts:42',
    },
    {
      why: 'a frame without a function',
      stack: 'Error: kaboom\n    at file:///srv/provider.ts:3:20',
      origin: 'provider.ts:3',
    },
    { why: 'none', stack: 'Error: kaboom\n    at node:internal/x:1:1', origin: undefined },
  ];
  for (const { why, stack, origin } of cases) {
    it(why, () => assert.equal(originOf(withStack(stack)), origin));
  }
});

describe('A definition whose faults are located', () => {
  const foo = fooProvider(new Bank());
  const failing = (error: Error) => ({
    ...foo,
    service: {
      desired: () => {
        throw error;
      },
      observe: () => Promise.reject(error),
    },
  });

  it('names function and place of a programming error, and keeps its stack', async () => {
    const error = new TypeError('kaboom');
    const { service } = locateFaults(failing(error));
    const expected = { code: 'InternalError', cause: error };
    assert.throws(() => service.desired?.({} as never, {} as never), {
      ...expected,
      message: /^kaboom \(desired, locate-faults\.test\.ts:\d+\)$/,
    });
    await assert.rejects(async () => service.observe?.({} as never, {} as never), { ...expected, message: /observe/ });
  });

  it('leaves errors for tenants as they are', () => {
    const error = userError('version "9" is not offered', 'Choose 17.');
    const { service } = locateFaults(failing(error));
    assert.throws(
      () => service.desired?.({} as never, {} as never),
      thrown => thrown === error,
    );
  });
});
