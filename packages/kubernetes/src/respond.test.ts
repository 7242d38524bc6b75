import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import type { ResourceCall } from './call.ts';
import { sendList, sendObject } from './respond.ts';

const object: KubeObject = { apiVersion: 'example.org/v1', kind: 'Boat', metadata: { name: 'marie' } };
const served = (losses?: readonly string[]) => ({
  revision: 1,
  object,
  bytes: Buffer.from('{}'),
  ...(losses === undefined ? {} : { losses }),
});

/** A call whose reply is only noted. */
function callTo(headers: Map<string, unknown>): ResourceCall {
  const reply = {
    getHeader: (name: string) => headers.get(name),
    header: (name: string, value: unknown) => (headers.set(name, value), reply),
    code: () => reply,
    type: () => reply,
    send: () => reply,
  };
  const resource = { kind: { listKind: 'BoatList' }, version: { apiVersion: 'example.org/v1' } };
  return {
    request: { headers: {} },
    query: new URLSearchParams(),
    reply,
    target: { resource },
  } as unknown as ResourceCall;
}

test('what a version cannot show is said as a warning, once for a whole list', async () => {
  const headers = new Map<string, unknown>();
  sendObject(callTo(headers), 200, served(['spec.note is not shown']));
  assert.deepEqual(headers.get('warning'), ['299 - "spec.note is not shown"']);
  headers.clear();
  const items = [served(['a']), served(), served(['a', 'b'])];
  await sendList(callTo(headers), { items, revision: 2, rest: undefined });
  assert.deepEqual(headers.get('warning'), ['299 - "a"', '299 - "b"']);
});

test('objects that are shown whole come without a warning', () => {
  const headers = new Map<string, unknown>();
  sendObject(callTo(headers), 200, served());
  assert.equal(headers.has('warning'), false);
});
