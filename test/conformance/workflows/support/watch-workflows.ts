import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import type { TestLandscape } from '@chandlery/testing';

/** A watch over HTTPS. */
export interface WorkflowWatch<T> extends AsyncDisposable {
  /** Reads events until an object is as wanted. */
  until(isWanted: (object: T) => boolean): Promise<T>;
}

/** Watches a collection over HTTPS. */
export async function watchWorkflows<T>(landscape: TestLandscape, path: string): Promise<WorkflowWatch<T>> {
  const { url, ca, token } = landscape;
  const outgoing = request(`${url}${path}?watch=true`, { ca, headers: { authorization: `Bearer ${token}` } });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject).end();
  });
  assert.equal(response.statusCode, 200);
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  return {
    until: async isWanted => {
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) assert.fail('the watch has ended');
        const { object } = JSON.parse(value) as { object: T };
        if (isWanted(object)) return object;
      }
    },
    [Symbol.asyncDispose]: async () => void outgoing.destroy(),
  };
}
