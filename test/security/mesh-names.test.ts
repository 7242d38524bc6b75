import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { eventually } from '@chandlery/testing';
import { status } from '@grpc/grpc-js';
import { typeUrls } from '../../domains/mesh/src/model/resource.ts';
import type { TestTls } from '../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import type { TestXdsStream } from '../../domains/mesh/src/test-xds-client/test-xds-stream.ts';
import type { CheckedConnection } from '../conformance/xds/support/checked-connection.ts';
import { portName } from '../conformance/xds/support/mesh-landscape.ts';
import { type HostileMesh, startHostileMesh } from './support/mesh-hostile.ts';
import { encodeManyNames, madeUpNames } from './support/mesh-names.ts';

const typeUrl = typeUrls.endpoints;
const patienceMs = 60_000;

describe('names without end', () => {
  let hostile: HostileMesh;
  let tls: TestTls;
  before(async () => {
    hostile = await startHostileMesh();
    tls = await hostile.mesh.certificate({ account: 'web' });
  });
  after(async () => {
    await hostile?.expectHealthy();
    await hostile?.[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    await hostile.witness.seesChanges(1);
    hostile.witness.expectUndisturbed();
  });

  const connect = (): Promise<CheckedConnection> => hostile.mesh.connect({ account: 'web', nodeId: 'greedy' }, tls);
  const codeOf = async (stream: TestXdsStream) => status[(await stream.ended(patienceMs)).code];

  test('a million in one request are rejected before they are decoded', async () => {
    await using connection = await connect();
    const stream = connection.open();
    await hostile.withinMemory(40, async () => {
      const names = Array.from({ length: 1_000_000 }, (_, no) => no.toString(36));
      stream.sendBytes(encodeManyNames('names', names));
      assert.equal(await codeOf(stream), 'RESOURCE_EXHAUSTED');
    });
  });

  test('more than the limit of a stream are rejected, also one by one', async () => {
    await using connection = await connect();
    const stream = connection.open({ mode: 'delta' });
    for (let no = 0; no < 3; no++) {
      stream.sendBytes(encodeManyNames('subscribe', madeUpNames(40_000, no * 40_000)));
    }
    assert.equal(await codeOf(stream), 'RESOURCE_EXHAUSTED');
  });

  test('a million on many connections are rejected at the limit', async () => {
    await using stack = new AsyncDisposableStack();
    const count = 12;
    // Names within the limit take 25 MiB; all of them would take 135.
    await hostile.withinMemory(50, async () => {
      const streams: TestXdsStream[] = [];
      for (let no = 0; no < count; no++) {
        const stream = stack.use(await connect()).open();
        stream.sendBytes(encodeManyNames('names', madeUpNames(85_000, no * 85_000)));
        streams.push(stream);
      }
      await hostile.witness.seesChanges(3);
      const ended = (): TestXdsStream[] => streams.filter(({ end }) => end !== undefined);
      await eventually(() => ended().length >= count - 2, { timeoutMs: patienceMs });
      assert.deepEqual(new Set(ended().map(({ end }) => end?.code)), new Set([status.RESOURCE_EXHAUSTED]));
    });
  });

  test('names that are unsubscribed are dropped', async () => {
    await using connection = await connect();
    const stream = connection.open({ mode: 'delta' });
    // More in all than the limit of an account at a time. Some responses are cached for other streams.
    await hostile.withinMemory(40, async () => {
      for (let round = 0; round < 8; round++) {
        const names = madeUpNames(30_000, round * 30_000);
        stream.sendBytes(encodeManyNames('subscribe', names));
        const { nonce, removed } = await stream.waitFor(responses => responses[round], patienceMs);
        assert.equal(removed.length, names.length);
        stream.sendBytes(encodeManyNames('unsubscribe', names, nonce));
      }
    });
    // It still gets existing resources.
    stream.sendDelta({ typeUrl, subscribe: [portName('catalog')] });
    const { resources } = await stream.waitFor(responses => responses[8], patienceMs);
    assert.equal(resources.length, 1);
  });
});
