import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeDeltaRequest, encodeRequest } from '../../domains/mesh/src/test-xds-client/test-messages.ts';
import { frameMessage } from '../../domains/mesh/src/xds/frame-message.ts';
import { encodeDeltaResponse, encodeWholeResponse } from '../../domains/mesh/src/xds/wire.ts';
import { Acceptances } from './acceptances.ts';

const typeUrl = 'type.googleapis.com/thing';
const names = ['a', 'b'];
const response = { version: 'v 7', nonce: 'n-1', typeUrl, resources: [], removed: ['c'] };

test('the state of the world is accepted with its version, its nonce and all names', () => {
  const acceptances = new Acceptances({ mode: 'sotw', typeUrl, names });
  const expected = encodeRequest({ version: 'v 7', nonce: 'n-1', typeUrl, names });
  assert.deepEqual(acceptances.of(encodeWholeResponse(response)), frameMessage(expected));
});

test('an incremental response is accepted with its nonce alone', () => {
  const acceptances = new Acceptances({ mode: 'delta', typeUrl, names });
  const expected = encodeDeltaRequest({ nonce: 'n-1', typeUrl });
  assert.deepEqual(acceptances.of(encodeDeltaResponse(response)), frameMessage(expected));
});

test('an empty response is acknowledged too', () => {
  const acceptances = new Acceptances({ mode: 'sotw', typeUrl, names });
  assert.deepEqual(acceptances.of(Buffer.alloc(0)), frameMessage(encodeRequest({ typeUrl, names })));
});
