import assert from 'node:assert/strict';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { type Answer, type Caller, createCaller } from './caller.ts';
import { createCluster } from './objects.ts';

/** A landscape under attack: its logical cluster `shop`, and a look at how it bears up. */
export interface HostileLandscape extends AsyncDisposable {
  readonly landscape: TestLandscape;
  readonly admin: Caller;
  /** A number of `/metrics`. */
  metric(name: string): Promise<number>;
  /** The process is the same one, ready, and its log holds no unexpected failure. */
  expectHealthy(): Promise<void>;
}

/** Starts it. */
export async function startHostileLandscape(): Promise<HostileLandscape> {
  const landscape = await startTestLandscape();
  const admin = createCaller(landscape, { token: landscape.token });
  await createCluster(admin, 'shop');
  const { pid } = landscape.process;
  return {
    landscape,
    admin,
    metric: async name => readMetric((await admin.send('/metrics')).text, name),
    expectHealthy: async () => {
      assert.equal((await admin.send('/readyz')).status, 200);
      assert.equal(landscape.process.pid, pid);
      assert.doesNotMatch(landscape.process.output(), /failed unexpectedly|Unhandled|FATAL/i);
    },
    [Symbol.asyncDispose]: async () => {
      await admin[Symbol.asyncDispose]();
      await landscape[Symbol.asyncDispose]();
    },
  };
}

function readMetric(text: string, name: string): number {
  const line = text.split('\n').find(candidate => candidate.startsWith(`${name} `));
  assert.ok(line, `no ${name} in the metrics`);
  return Number(line.slice(name.length + 1));
}

/** The answer blames the client, as a complete Status. */
export function expectRefusal(answer: Answer, codes: readonly number[], what: string): void {
  const text = `${what}: ${answer.status} ${answer.text.slice(0, 300)}`;
  assert.ok(codes.includes(answer.status), text);
  if (answer.status < 400) return;
  const { kind, code, reason, message } = answer.json();
  assert.deepEqual([kind, code], ['Status', answer.status], text);
  assert.ok(reason && message, text);
}
