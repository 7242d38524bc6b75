import { Resolver } from 'node:dns/promises';
import type { DnsRecordType } from './dns-records.ts';

/** Asks the DNS server on a port of loopback. */
export function createTestResolver(port: number): (name: string, type: DnsRecordType) => Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 3 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return async (name, type) => {
    try {
      const records = (await resolver.resolve(name, type)) as readonly (string | readonly string[])[];
      return records.map(record => (typeof record === 'string' ? record : record.join(''))).sort();
    } catch (error) {
      if (['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
      throw error;
    }
  };
}
