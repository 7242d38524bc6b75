import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DnsRecord } from '../../../ports.ts';
import { EmbeddedDnsServer } from '../../dns/embedded-dns-server.ts';
import { createTestResolver } from '../../dns/test-resolver.ts';
import { DnsProofs } from './dns-proofs.ts';

const domain = 'dinosaurs.example.com';
const name = `_acme-challenge.rex.${domain}`;
const proof = (target: string, of = name): DnsRecord => ({ name: of, type: 'TXT', target, ttlSeconds: 60 });

test('orders for one host each keep their proof until they are done, and leave none', async () => {
  await using dns = await EmbeddedDnsServer.start({ port: 0 });
  const resolve = createTestResolver(dns.port);
  const texts = (): Promise<readonly string[]> => resolve(name, 'TXT');
  const proofs = new DnsProofs(dns.zone(domain));
  const deadlineMs = performance.now() + 10_000;
  const prove = (target: string): Promise<void> =>
    proofs.during([proof(target)], deadlineMs, async () => {
      assert.deepEqual(await texts(), [target]);
      await sleep(20);
      assert.deepEqual(await texts(), [target]);
      if (target === 'second') throw new Error('not believed');
    });
  const results = await Promise.allSettled(['first', 'second', 'third'].map(prove));
  assert.deepEqual(
    results.map(result => (result.status === 'rejected' ? (result.reason as Error).message : 'done')),
    ['done', 'not believed', 'done'],
  );
  assert.deepEqual(await texts(), []);
});

test('orders for other hosts do not wait', async () => {
  await using dns = await EmbeddedDnsServer.start({ port: 0 });
  const proofs = new DnsProofs(dns.zone(domain));
  const deadlineMs = performance.now() + 10_000;
  await proofs.during([proof('one')], deadlineMs, () =>
    proofs.during([proof('two', `_acme-challenge.ann.${domain}`)], deadlineMs, async () => undefined),
  );
});
