import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { runOnServer } from './support/run-on-server.ts';
import { snapshotOf } from './support/snapshot.ts';

/** Responds with the status that the path names, and with the method as body. */
const server = createServer((request, response) => {
  response.writeHead(Number(request.url?.slice(1)), { 'x-seen': 'yes' }).end(request.method);
});
let landscape: TestLandscape;
let url: string;
before(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  landscape = await startTestLandscape();
});
after(async () => {
  await landscape[Symbol.asyncDispose]();
  server.close();
});

const rows: readonly { why: string; path: string; fields?: object; expected: string }[] = [
  { why: 'a GET whose result is the body', path: '200', expected: 'wf | HTTP | Succeeded -> {"result":"GET"}' },
  {
    why: 'a failure for any status but 2xx',
    path: '404',
    expected: 'wf | HTTP | Failed | received non-2xx response code: 404 -> {"result":"GET"}',
  },
  {
    why: 'a success when its condition holds',
    path: '404',
    fields: { method: 'POST', successCondition: 'response.statusCode == 404 && response.body == "POST"' },
    expected: 'wf | HTTP | Succeeded -> {"result":"POST"}',
  },
  {
    why: 'a condition that sees headers',
    path: '200',
    fields: { successCondition: 'response.headers["X-Seen"][0] == "no"' },
    expected: `wf | HTTP | Failed | successCondition 'response.headers["X-Seen"][0] == "no"' evaluated false -> {"result":"GET"}`,
  },
];

describe('B17 An http template is', () => {
  for (const [index, { why, path, fields = {}, expected }] of rows.entries()) {
    it(why, async () => {
      const spec = { templates: [{ name: 'main', http: { url: `${url}/${path}`, ...fields } }] };
      const ended = await runOnServer(landscape, { name: `http-${index}`, rule: 'B17', why, spec });
      assert.equal(snapshotOf(ended).split('\n').at(-1), expected);
    });
  }
});
