import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { eventually } from '@chandlery/testing';
import type { DnsChange, DnsRecord, DnsZone } from '../../ports.ts';
import type { DnsRecordType } from './dns-records.ts';

/** A zone to try, with a way to see what it serves. */
export interface OpenedZone extends AsyncDisposable {
  readonly zone: DnsZone;
  readonly domain: string;
  /** The values that the zone serves for a name, sorted; none when there are none. */
  resolve(name: string, type: DnsRecordType): Promise<readonly string[]>;
}

/** Describes what every DNS zone does. */
export function describeDnsZoneContract(
  title: string,
  open: () => Promise<OpenedZone>,
  options: {
    readonly skip?: string | false;
    /** Set when the server accepts a CNAME beside other records, which none in production does. Default false. */
    readonly acceptsContradictions?: boolean;
  } = {},
): void {
  describe(`DNS zone: ${title}`, { skip: options.skip ?? false }, () => {
    let opened: OpenedZone;
    before(async () => {
      opened = await open();
    });
    after(() => opened?.[Symbol.asyncDispose]());
    const name = (label: string): string => `${label}.${opened.domain}`;
    const record = (label: string, target: string): DnsRecord => ({ name: name(label), target, ttlSeconds: 300 });
    const text = (label: string, target: string): DnsRecord => ({ ...record(label, target), type: 'TXT' });
    const finish = async (change: DnsChange): Promise<void> => {
      if (change.done) return;
      await eventually(() => opened.zone.isDone(change.id), { what: 'the DNS change', timeoutMs: 60_000 });
    };
    const upsert = async (...records: DnsRecord[]): Promise<void> => finish(await opened.zone.upsert(records));
    const remove = async (...records: DnsRecord[]): Promise<void> => finish(await opened.zone.remove(records));
    const resolve = (label: string, type: DnsRecordType) => opened.resolve(name(label), type);

    test('all records of an instance are written in one batch', async () => {
      await upsert(record('batch', 'router.example.com'), record('admin.batch', 'router.example.com'));
      assert.deepEqual(await resolve('batch', 'CNAME'), ['router.example.com']);
      assert.deepEqual(await resolve('admin.batch', 'CNAME'), ['router.example.com']);
    });

    test('a target that is an address becomes an A or AAAA record', async () => {
      await upsert(record('address', '192.0.2.7'), record('address', '2001:db8::7'));
      assert.deepEqual(await resolve('address', 'A'), ['192.0.2.7']);
      assert.deepEqual(await resolve('address', 'AAAA'), ['2001:db8::7']);
    });

    test('records of one name and type form one set, which a later one replaces', async () => {
      await upsert(text('_acme-challenge.set', 'first "quoted" \\ text'), text('_acme-challenge.set', 'second'));
      assert.deepEqual(await resolve('_acme-challenge.set', 'TXT'), ['first "quoted" \\ text', 'second']);
      await upsert(text('_acme-challenge.set', 'third'));
      assert.deepEqual(await resolve('_acme-challenge.set', 'TXT'), ['third']);
    });

    test('writing the same records again changes nothing', async () => {
      await upsert(record('again', 'router.example.com'));
      await upsert(record('again', 'router.example.com'));
      assert.deepEqual(await resolve('again', 'CNAME'), ['router.example.com']);
    });

    const skipMoved = options.acceptsContradictions === true && 'the server accepts a CNAME beside other records';
    test('a CNAME gives way to an address and the other way round', { skip: skipMoved }, async () => {
      await upsert(record('moved', 'router.example.com'));
      await upsert(record('moved', '192.0.2.8'));
      assert.deepEqual([await resolve('moved', 'CNAME'), await resolve('moved', 'A')], [[], ['192.0.2.8']]);
      await upsert(record('moved', 'other.example.com'));
      assert.deepEqual([await resolve('moved', 'CNAME'), await resolve('moved', 'A')], [['other.example.com'], []]);
    });

    test('names are the same in any case and with a final dot', async () => {
      await upsert({ name: `${name('Case').toUpperCase()}.`, target: 'Router.example.com.', ttlSeconds: 60 });
      assert.deepEqual(await resolve('case', 'CNAME'), ['router.example.com']);
      await remove(record('case', 'router.example.com'));
      assert.deepEqual(await resolve('case', 'CNAME'), []);
    });

    test('removed records are gone, others stay, and absent ones are fine', async () => {
      await upsert(record('gone', 'router.example.com'), record('stays', 'router.example.com'));
      await remove(record('gone', 'router.example.com'), record('never-there', 'router.example.com'));
      await remove(record('gone', 'router.example.com'));
      assert.deepEqual(await resolve('gone', 'CNAME'), []);
      assert.deepEqual(await resolve('stays', 'CNAME'), ['router.example.com']);
    });

    test('records are removed whatever they point to by now', async () => {
      await upsert(record('changed', 'new.example.com'));
      await remove(record('changed', 'old.example.com'));
      assert.deepEqual(await resolve('changed', 'CNAME'), []);
    });

    test('a batch with a name outside the zone is rejected for good, and nothing of it is written', async () => {
      const outside: DnsRecord = { name: 'outside.example.net', target: 'router.example.com', ttlSeconds: 300 };
      await assert.rejects(opened.zone.upsert([record('inside', 'router.example.com'), outside]), isTerminal);
      assert.deepEqual(await resolve('inside', 'CNAME'), []);
    });

    test('an alias of the zone itself is rejected for good', async () => {
      const apex: DnsRecord = { name: opened.domain, target: 'router.example.com', ttlSeconds: 300 };
      await assert.rejects(opened.zone.upsert([apex]), isTerminal);
    });

    test('many instances are written at the same time', async () => {
      const labels = Array.from({ length: 20 }, (_, index) => `many-${index}`);
      await Promise.all(labels.map(label => upsert(record(label, 'router.example.com'))));
      const found = await Promise.all(labels.map(label => resolve(label, 'CNAME')));
      assert.deepEqual(
        found,
        labels.map(() => ['router.example.com']),
      );
    });

    test('a change that nobody knows any more is done, and so is one of nothing', async () => {
      assert.equal(await opened.zone.isDone('C0000000000000UNKNOWN'), true);
      await finish(await opened.zone.upsert([]));
      await finish(await opened.zone.remove([]));
    });
  });
}

const isTerminal = (error: unknown): boolean => isError(error, 'TerminalError');
