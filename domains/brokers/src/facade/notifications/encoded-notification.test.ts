import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { EncodedNotification } from './encoded-notification.ts';
import { FrameStore } from './frame-store.ts';
import { goDuration } from './subscription.ts';
import { textFrame } from './text-frame.ts';

const encoded = (revision: number, text: string): EncodedNotification =>
  new EncodedNotification({
    id: 'n',
    revision,
    createdAt: 'then',
    updatedAt: 'then',
    spec: { resource: '/v1/visibilities', type: 'CREATED', resourceId: 'v', payload: { text } },
  });

suite('what leaves', () => {
  test('frames of all lengths are read by others as the text that they hold', async () => {
    const texts = [
      '',
      'ä',
      'x'.repeat(125),
      'x'.repeat(126),
      'é'.repeat(32_767),
      'x'.repeat(65_535),
      'x'.repeat(65_536),
    ];
    await using stack = new AsyncDisposableStack();
    const server = stack.adopt(new WebSocketServer({ host: '127.0.0.1', port: 0 }), each => each.close());
    server.on('connection', (_webSocket, { socket }) => {
      for (const text of texts) socket.write(textFrame(text));
    });
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    stack.adopt(client, each => each.terminate());
    const heard: string[] = [];
    client.on('message', (data, isBinary) => heard.push(isBinary ? 'binary' : (data as Buffer).toString()));
    while (heard.length < texts.length) await once(client, 'message');
    assert.deepEqual(heard, texts);
  });

  test('is made once', () => {
    const notification = encoded(7, 'x');
    assert.equal(notification.frame, notification.frame);
    assert.equal(notification.line, notification.line);
    assert.equal(notification.event, notification.event);
  });

  test('is kept up to a size, the newest at least', () => {
    const [first, second, huge] = [encoded(1, 'x'), encoded(2, 'x'), encoded(3, 'x'.repeat(10_000))];
    const store = new FrameStore(2 * first.size);
    for (const notification of [first, second]) store.put(notification);
    assert.deepEqual([store.get(1), store.get(2)], [first, second]);
    store.put(huge);
    assert.deepEqual([store.get(1), store.get(2), store.get(3)], [undefined, undefined, huge]);
    store.put(first);
    assert.deepEqual([store.get(1), store.get(3)], [first, undefined]);
  });

  for (const [ms, text] of [
    [30_000, '30s'],
    [1500, '1.5s'],
    [200, '200ms'],
  ] as const)
    test(`${ms} ms are ${text}`, () => assert.equal(goDuration(ms), text));
});
