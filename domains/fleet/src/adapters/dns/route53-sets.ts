import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';
import { canonicalName, type DnsRecordSet } from './dns-records.ts';

/** Returns the change that writes a set. */
export const upsertChange = (set: DnsRecordSet): Change => ({
  Action: 'UPSERT',
  ResourceRecordSet: {
    Name: set.name,
    Type: set.type,
    TTL: set.ttlSeconds,
    ResourceRecords: set.values.map(value => ({ Value: set.type === 'TXT' ? quoted(value) : value })),
  },
});

/** Returns the change that removes a set; Route 53 wants it exactly as it is stored. */
export const deleteChange = (stored: ResourceRecordSet): Change => ({ Action: 'DELETE', ResourceRecordSet: stored });

/** The name of a stored set. Route 53 writes unusual characters, such as the star, as `\052`. */
export const storedName = ({ Name = '' }: ResourceRecordSet): string =>
  canonicalName(Name.replace(/\\(\d{3})/g, (_whole, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))));

/** A text as in a zone file: quoted, everything but printable ASCII as octal. */
const quoted = (text: string): string => `"${[...Buffer.from(text)].map(byte => escaped(byte)).join('')}"`;

function escaped(byte: number): string {
  const character = String.fromCharCode(byte);
  if (character === '"' || character === '\\') return `\\${character}`;
  return byte >= 0x20 && byte < 0x7f ? character : `\\${byte.toString(8).padStart(3, '0')}`;
}
