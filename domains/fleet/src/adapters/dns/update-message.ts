import dnsPacket, { type Answer } from 'dns-packet';
import type { DnsRecordSet, DnsRecordType } from './dns-records.ts';
import { encodeName } from './wire.ts';

const updateFlags = 5 << 11;
const headerBytes = 12;
const anyClass = 255;
const typeNumbers: Readonly<Record<DnsRecordType, number>> = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 };

/** Which sets of a name cannot stay beside a new one. */
const contradictions: Readonly<Record<DnsRecordType, readonly DnsRecordType[]>> = {
  A: ['CNAME'],
  AAAA: ['CNAME'],
  TXT: ['CNAME'],
  CNAME: ['A', 'AAAA', 'TXT'],
};

/** What a zone is to contain and not to contain. */
export interface ZoneUpdate {
  readonly id: number;
  readonly zone: string;
  readonly written: readonly DnsRecordSet[];
  readonly removed: readonly DnsRecordSet[];
}

/** Encodes an UPDATE (RFC 2136, 2): removals come first, the server carries out all or nothing. */
export function encodeUpdate({ id, zone, written, removed }: ZoneUpdate): Buffer {
  const removals = [
    ...removed.map(({ name, type }) => removal(name, type)),
    ...written.flatMap(({ name, type }) => [type, ...contradictions[type]].map(other => removal(name, other))),
  ];
  const answers = written.flatMap(toAnswers);
  const header = Buffer.alloc(headerBytes);
  for (const [index, value] of [id, updateFlags, 1, 0, removals.length + answers.length, 0].entries())
    header.writeUInt16BE(value, index * 2);
  const zoneSection = dnsPacket.encode({ questions: [{ name: zone, type: 'SOA' }] }).subarray(headerBytes);
  return Buffer.concat([header, zoneSection, ...removals, dnsPacket.encode({ answers }).subarray(headerBytes)]);
}

/** Deletes a set (RFC 2136, 2.5.2): class ANY, no data. */
function removal(name: string, type: DnsRecordType): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(typeNumbers[type], 0);
  fixed.writeUInt16BE(anyClass, 2);
  return Buffer.concat([encodeName(name), fixed]);
}

const toAnswers = ({ name, type, ttlSeconds: ttl, values }: DnsRecordSet): Answer[] =>
  values.map(data => ({ name, type, ttl, data }));
