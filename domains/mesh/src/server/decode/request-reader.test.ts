import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeDeltaRequest, encodeRequest } from '../../test-xds-client/test-messages.ts';
import { decodeDeltaDiscoveryRequest, decodeDiscoveryRequest } from './decode-request.ts';
import { BoundedCache, RequestReader } from './request-reader.ts';

const text = fc.constantFrom('', 'a', 'b', 'ä');
const names = fc.array(text, { maxLength: 3 });
const node = fc.option(fc.record({ id: fc.constantFrom('one', 'two') }), { nil: undefined });

test('what is read again is what was read first', () => {
  const reader = new RequestReader();
  fc.assert(
    fc.property(text, text, names, node, (version, nonce, list, from) => {
      const whole = encodeRequest({ version, nonce, names: list, ...(from && { node: from }) });
      assert.deepEqual(reader.readWhole(whole), decodeDiscoveryRequest(whole));
      const delta = encodeDeltaRequest({ nonce, subscribe: list, ...(from && { node: from }) });
      assert.deepEqual(reader.readDelta(delta), decodeDeltaDiscoveryRequest(delta));
    }),
  );
});

test('requests with equal names share the list, independent of other fields', () => {
  const reader = new RequestReader();
  const read = (nonce: string, list: string[]) => reader.readWhole(encodeRequest({ nonce, names: list })).request;
  assert.equal(read('1', ['a', 'b']).resourceNames, read('2', ['a', 'b']).resourceNames);
  assert.equal(read('1', ['a', 'b']), read('1', ['a', 'b']), 'and those that say the same are one');
  assert.notEqual(read('1', ['a', 'b']).resourceNames, read('1', ['a,b']).resourceNames);
  assert.notEqual(read('1', ['a', 'b']).resourceNames, read('1', ['b', 'a']).resourceNames);
});

test('endless different requests do not fill the memory', () => {
  const map = new BoundedCache<number>();
  for (let no = 0; no < 5_000; no++) map.add(String(no), no);
  assert.equal(map.get('0'), undefined);
  assert.equal(map.get('4999'), 4999);
  const long = 'x'.repeat(3 << 20);
  for (const no of [1, 2, 3]) map.add(`${no}${long}`, no);
  assert.deepEqual(
    [1, 2, 3].map(no => map.get(`${no}${long}`)),
    [undefined, 2, 3],
  );
});
