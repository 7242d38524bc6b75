import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { isError } from '@chandlery/api';
import { askTermsOverHttp } from './http-terms.ts';

const server = createServer((request, response) => void respond(request, response));

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { account_username: username, site_code: site, event_code: event } = JSON.parse(body) as Record<string, string>;
  assert.deepEqual([request.method, site, event], ['POST', 'OCM', 'register']);
  if (username === 'error') response.statusCode = 500;
  if (username === 'moved') response.writeHead(302, { location: '/elsewhere' });
  const answers: Record<string, string> = {
    odd: '{}',
    text: 'no',
    error: '{"terms_required":false}',
    flood: 'x'.repeat(1e6),
  };
  response.end(answers[username ?? ''] ?? JSON.stringify({ terms_required: username === 'bob' }));
}
let url: string;
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/terms`;
});
after(() => void server.close());

const ask = (username: string, at = url) =>
  askTermsOverHttp({ url: at, username, siteCode: 'OCM', eventCode: 'register' });

test('the service says whether terms are required', async () => {
  assert.deepEqual(await ask('bob'), { isRequired: true });
  assert.deepEqual(await ask('ann'), { isRequired: false });
});

test('whatever else it does is a failure of the service', async () => {
  for (const username of ['odd', 'text', 'error', 'moved', 'flood'])
    await assert.rejects(ask(username), error => isError(error, 'PeerUnavailable'), username);
  await assert.rejects(ask('ann', 'http://127.0.0.1:9/'), error => isError(error, 'PeerUnavailable'));
});
