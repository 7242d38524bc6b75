import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setStage } from './support/stage.ts';

describe('queues', () => {
  const stage = setStage();
  const { expect } = stage;
  const create = async (name: string) =>
    (await expect(201, 'POST', '/1/queues', { body: { name, description: 'd' } })).body;

  test('have names that are unique in the tenant', async () => {
    const queue = await create('events');
    assert.match(queue.id, /^urn:ivcap:queue:[0-9a-f-]{36}$/);
    assert.equal((await expect(409, 'POST', '/1/queues', { body: { name: 'events' } })).body.code, 'already-exists');
    await expect(201, 'POST', '/1/queues', { body: { name: 'events' }, token: stage.token('other/robot') });
    for (const name of ['a b', 'a.b', 'a*', 'a>b', 'a/b', 'a\\b', '', undefined])
      assert.equal((await expect(422, 'POST', '/1/queues', { body: { name } })).body.name, 'name', String(name));
  });

  test('give out messages once, in the order in which they were sent', async () => {
    const { id } = await create('work');
    const uuid = id.split(':').at(-1);
    const messages = `/1/queues/${id}/messages`;
    for (let n = 1; n <= 5; n++) {
      const { body } = await expect(201, 'POST', `${messages}?schema=urn:x:${n}`, { body: { n } });
      assert.equal(body.id, `urn:ivcap:message:${uuid}:${n}`);
    }
    const { body: details } = await expect(200, 'GET', `/1/queues/${id}`);
    assert.deepEqual([details['total-messages'], details['bytes'], details['consumer-count']], [5, 35, 0]);
    assert.ok(String(details['first-time']) < String(details['last-time']));
    const first = await expect(200, 'GET', `${messages}?limit=2`);
    assert.ok(first.body['at-time']);
    assert.deepEqual(first.body.messages, [
      { id: `urn:ivcap:message:${uuid}:1`, content: '{"n":1}', schema: 'urn:x:1', 'content-type': 'application/json' },
      { id: `urn:ivcap:message:${uuid}:2`, content: '{"n":2}', schema: 'urn:x:2', 'content-type': 'application/json' },
    ]);
    const rest = await expect(200, 'GET', `${messages}?limit=50`);
    assert.deepEqual(
      rest.body.messages.map(({ content }) => content),
      ['{"n":3}', '{"n":4}', '{"n":5}'],
    );
    assert.deepEqual((await expect(200, 'GET', messages)).body.messages, []);
    assert.equal((await expect(200, 'GET', `/1/queues/${id}`)).body['bytes'], 0);
    assert.equal((await expect(201, 'POST', messages, { body: {} })).body.id, `urn:ivcap:message:${uuid}:6`);
  });

  test('number messages that are sent at the same time, and give each to one reader', async () => {
    const { id } = await create('busy');
    const messages = `/1/queues/${id}/messages`;
    const count = 40;
    const sent = await Promise.all(
      Array.from({ length: count }, (_, n) => expect(201, 'POST', messages, { body: { n } })),
    );
    const numbers = sent.map(({ body }) => Number(body.id.split(':').at(-1))).sort((one, other) => one - other);
    assert.deepEqual(
      numbers,
      Array.from({ length: count }, (_, n) => n + 1),
    );
    const read = await Promise.all(Array.from({ length: 8 }, () => expect(200, 'GET', `${messages}?limit=10`)));
    const ids = read.flatMap(({ body }) => body.messages.map(each => each.id));
    assert.deepEqual([ids.length, new Set(ids).size], [count, count]);
  });

  test('take text of other types, and no bytes', async () => {
    const { id } = await create('texts');
    const messages = `/1/queues/${id}/messages`;
    await expect(201, 'POST', messages, { body: 'plain', headers: { 'content-type': 'text/plain' } });
    const [message] = (await expect(200, 'GET', messages)).body.messages;
    assert.deepEqual([message?.['content'], message?.['content-type']], ['plain', 'text/plain']);
    await expect(400, 'POST', messages, { body: 'no json' });
    await expect(400, 'POST', messages);
    await expect(413, 'POST', messages, { body: JSON.stringify('x'.repeat(256 * 1024)) });
    for (const limit of ['0', '51', 'x', '-1']) await expect(400, 'GET', `${messages}?limit=${limit}`);
  });

  test('survive a restart, and go with their messages', async () => {
    const { id } = await create('kept');
    await expect(201, 'POST', `/1/queues/${id}/messages`, { body: { kept: true } });
    await stage.landscape.restart();
    const { body } = await expect(200, 'GET', `/1/queues/${id}`);
    assert.deepEqual([body['total-messages'], body['bytes']], [1, 13]);
    await expect(204, 'DELETE', `/1/queues/${id}`);
    await expect(404, 'GET', `/1/queues/${id}`);
    await expect(404, 'GET', `/1/queues/${id}/messages`);
    const left = await stage.kube('GET', '/apis/orders.chandlery.io/v1alpha1/namespaces/acme/queuemessages');
    const uuid = id.split(':').at(-1) ?? '';
    assert.ok(!left.text.includes(uuid));
  });
});
