import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@chandlery/platform';
import { AuditTrail, maxRejectedPerMinute } from './audit-trail.ts';

const call = (at: string) => ({
  product: 'dinosaurs',
  username: '',
  method: 'GET',
  url: '/',
  remoteAddress: '127.0.0.1',
  at,
  body: undefined,
});

/** A trail, and how many entries each of its writes had. */
function makeTrail() {
  const batches: number[] = [];
  const store = {
    create: async (entries: readonly unknown[]) => {
      batches.push(entries.length);
      return entries.map(() => 'id');
    },
    complete: async () => {},
  };
  return { trail: new AuditTrail({ store, logger: silentLogger }), batches };
}

test('rejected calls are kept up to a number per minute', async () => {
  const { trail, batches } = makeTrail();
  for (const minute of ['2026-01-01T00:00', '2026-01-01T00:01'])
    for (let second = 0; second < 2 * maxRejectedPerMinute; second++) trail.recordRejected(call(`${minute}:00Z`), 404);
  await trail.flushed();
  assert.equal(
    batches.reduce((sum, size) => sum + size, 0),
    2 * maxRejectedPerMinute,
  );
});

test('calls that change nothing are written in batches', async () => {
  const { trail, batches } = makeTrail();
  for (let count = 0; count < 1000; count++) trail.record(call('2026-01-01T00:00:00Z'), 200);
  await trail.flushed();
  assert.equal(
    batches.reduce((sum, size) => sum + size, 0),
    1000,
  );
  assert.ok(batches.length < 20, String(batches.length));
});

test('a long body is cut and its secrets are hidden', async () => {
  const bodies: (string | undefined)[] = [];
  const store = {
    create: async (entries: readonly { readonly body?: string | undefined }[]) => {
      bodies.push(...entries.map(({ body }) => body));
      return entries.map(() => 'id');
    },
    complete: async () => {},
  };
  const trail = new AuditTrail({ store, logger: silentLogger });
  await trail.begin({ ...call(''), body: { password: 'hunter2', filler: 'x'.repeat(10_000) } });
  assert.ok(Buffer.byteLength(bodies[0] ?? '') < 4200);
  assert.doesNotMatch(bodies[0] ?? '', /hunter2/);
});
