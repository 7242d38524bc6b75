import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { type KnownPlatform, seedKnownPlatform } from '../authentication/test-authentication.ts';
import { connectProxy, notify, startNotifications } from './test-notifications.ts';

const lines = 'application/x-ndjson';
const events = 'text/event-stream';

suite('streams over plain HTTP', () => {
  let sm: Awaited<ReturnType<typeof startNotifications>>;
  let known: KnownPlatform;

  before(async () => {
    sm = await startNotifications();
    known = await seedKnownPlatform(sm.registry);
  });
  after(() => sm[Symbol.asyncDispose]());

  const open = (headers: Record<string, string>, { query = '', method = 'GET', suffix = '' } = {}) =>
    fetch(`http://${sm.address}${suffix}${query}`, {
      method,
      headers: { authorization: known.authorization, ...headers },
    });

  /** The text of a stream, up to the given end; then the stream is left. */
  async function readUntil(response: Response, isEnough: (text: string) => boolean): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (isEnough(text)) return text;
    }
    throw new Error(`the stream ended after: ${text}`);
  }

  /** Two notifications, of which the first is stored for sure. */
  async function seedTwo() {
    const first = await notify(sm.registry);
    const second = await notify(sm.registry);
    await eventually(async () => {
      using proxy = await connectProxy(sm.address, { authorization: known.authorization, revision: first.revision });
      return await proxy.heard(1);
    });
    return { first, second };
  }

  test('NDJSON has the missed and the new notifications', async () => {
    const { first, second } = await seedTwo();
    const response = await open({ accept: lines }, { query: `?last_notification_revision=${first.revision}` });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), lines);
    assert.equal(response.headers.get('last_notification_revision'), String(second.revision));
    assert.equal(response.headers.get('max_ping_period'), '30s');
    assert.equal(sm.registry.platforms.get(known.platform.id)?.status.isConnected, true);
    const third = await notify(sm.registry);
    const text = await readUntil(response, read => read.split('\n').length > 2);
    const ids = text
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as { id: string }).id);
    assert.deepEqual(ids, [second.id, third.id]);
    const { id } = known.platform;
    await sm.registry.platforms.until(id, row => row?.status.isConnected === false, AbortSignal.timeout(30_000));
  });

  test('server-sent events resume at the last event id', async () => {
    const { first, second } = await seedTwo();
    const query = `?last_notification_revision=${second.revision}`;
    const response = await open({ accept: `${events}, */*`, 'last-event-id': String(first.revision) }, { query });
    assert.equal(response.headers.get('content-type'), events);
    const text = await readUntil(response, read => read.endsWith('\n\n'));
    const [, revision, data] = /^id: (\d+)\ndata: (.*)\n\n$/.exec(text) ?? [];
    assert.equal(revision, String(second.revision));
    assert.equal((JSON.parse(data ?? '') as { id: string }).id, second.id);
  });

  for (const accept of [lines, events])
    test(`heartbeats keep a stream of ${accept} alive and contain the newest revision`, async () => {
      await using fast = await startNotifications({ maxPingPeriodMs: 50 });
      const { authorization } = await seedKnownPlatform(fast.registry);
      const { revision } = await notify(fast.registry);
      const response = await fetch(`http://${fast.address}`, { headers: { authorization, accept } });
      const wanted = accept === lines ? `{"type":"HEARTBEAT","revision":${revision}}\n` : `id: ${revision}\n\n`;
      await readUntil(response, read => read.includes(wanted));
    });

  const statuses = [
    { why: 'a plain request', headers: {}, status: 400, error: 'WebsocketUpgradeError' },
    { why: 'another format', headers: { accept: 'application/json' }, status: 400, error: 'WebsocketUpgradeError' },
    {
      why: 'no number',
      headers: { accept: lines },
      query: '?last_notification_revision=x',
      status: 400,
      error: 'BadRequest',
    },
    {
      why: 'revision zero',
      headers: { accept: lines },
      query: '?last_notification_revision=0',
      status: 410,
      error: '',
    },
    { why: 'an unknown event', headers: { accept: events, 'last-event-id': '1' }, status: 410, error: '' },
    { why: 'nobody', headers: { accept: lines, authorization: '' }, status: 401, error: 'Unauthorized' },
    { why: 'nobody who asks plainly', headers: { authorization: '' }, status: 401, error: 'Unauthorized' },
    {
      why: 'the operator',
      headers: { accept: lines, authorization: 'Bearer operator' },
      status: 401,
      error: 'Unauthorized',
    },
    { why: 'another method', headers: { accept: lines }, method: 'POST', status: 405, error: 'MethodNotAllowed' },
    { why: 'another path', headers: { accept: lines }, suffix: '/1', status: 404, error: 'NotFound' },
  ];
  for (const { why, headers, status, error, ...target } of statuses)
    test(`${why} gets ${status}`, async () => {
      const response = await open(headers as Record<string, string>, target);
      const body = await response.text();
      assert.equal(response.status, status);
      if (error === '') assert.equal(body, '');
      else assert.equal((JSON.parse(body) as { error: string }).error, error);
    });
});
