import { isIP } from 'node:net';
import { peerRejected } from '../../port-errors.ts';
import type { DnsRecord } from '../../ports.ts';

/** The types of records that the fleet writes. */
export type DnsRecordType = 'A' | 'AAAA' | 'CNAME' | 'TXT';

/** All records of one name and type. */
export interface DnsRecordSet {
  /** In lower case, without the final dot. */
  readonly name: string;
  readonly type: DnsRecordType;
  readonly ttlSeconds: number;
  readonly values: readonly string[];
}

const maxNameBytes = 253;
const maxTextBytes = 255;
const maxTtlSeconds = 2_147_483_647;
/** Underscores are for `_acme-challenge`; a star may be the first label. */
const namePattern = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Returns a name in lower case without its final dot. */
export const canonicalName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Returns the type of a record. */
export function recordType({ type, target }: DnsRecord): DnsRecordType {
  if (type !== undefined) return type;
  const family = isIP(target);
  if (family === 0) return 'CNAME';
  return family === 4 ? 'A' : 'AAAA';
}

/** Whether a canonical name is the zone's apex or below it. */
export const isInZone = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);

/** Groups records into sets. Throws `TerminalError` when the zone cannot hold one of them. */
export function recordSets(records: readonly DnsRecord[], domain: string): readonly DnsRecordSet[] {
  for (const record of records) checkRecord(record, domain);
  const groups = Map.groupBy(records, record => `${canonicalName(record.name)} ${recordType(record)}`);
  const sets = [...groups.values()].map(toSet);
  for (const set of sets) checkSet(set, sets, domain);
  return sets;
}

function toSet(records: readonly DnsRecord[]): DnsRecordSet {
  const [first] = records as readonly [DnsRecord];
  const type = recordType(first);
  return {
    name: canonicalName(first.name),
    type,
    ttlSeconds: Math.min(...records.map(({ ttlSeconds }) => ttlSeconds)),
    values: [...new Set(records.map(({ target }) => (type === 'CNAME' ? canonicalName(target) : target)))],
  };
}

function checkRecord(record: DnsRecord, domain: string): void {
  const { name, target, ttlSeconds } = record;
  if (!isHostName(canonicalName(name))) throw invalid(record, 'it is not a DNS name');
  if (!isInZone(canonicalName(name), domain)) throw invalid(record, `it is not in the zone ${domain}`);
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 0 || ttlSeconds > maxTtlSeconds)
    throw invalid(record, `its TTL of ${ttlSeconds} s is not a whole number up to ${maxTtlSeconds}`);
  const type = recordType(record);
  if (type === 'CNAME' && !isHostName(canonicalName(target))) throw invalid(record, 'its target is not a DNS name');
  if (type === 'TXT' && Buffer.byteLength(target) > maxTextBytes)
    throw invalid(record, `its text is longer than ${maxTextBytes} bytes`);
}

function checkSet(set: DnsRecordSet, all: readonly DnsRecordSet[], domain: string): void {
  if (set.type !== 'CNAME') return;
  if (set.name === domain) throw invalid(set, 'the apex of a zone cannot be a CNAME');
  if (set.values.length > 1 || all.some(other => other !== set && other.name === set.name))
    throw invalid(set, 'a name with a CNAME can have no other record');
}

const isHostName = (name: string): boolean => name.length <= maxNameBytes && namePattern.test(name);

const invalid = ({ name }: { readonly name: string }, why: string) =>
  peerRejected(`cannot write the DNS record ${JSON.stringify(name)}: ${why}`, 'Correct the routes or the DNS domain.');

/** Whether a stored set must go when another set of its name is written. */
export const isContradicted = (stored: DnsRecordType, written: DnsRecordType): boolean =>
  stored !== written && (stored === 'CNAME' || written === 'CNAME');
