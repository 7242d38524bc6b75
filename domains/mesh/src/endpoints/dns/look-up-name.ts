import type { AnyARecord, SrvRecord } from 'node:dns';
import { canonicalIp } from '../../model/endpoints/canonical-ip.ts';

/** The used part of a resolver of `node:dns/promises`. */
export interface DnsResolver {
  resolve4(name: string, options: { ttl: true }): Promise<Pick<AnyARecord, 'address' | 'ttl'>[]>;
  resolve6(name: string, options: { ttl: true }): Promise<Pick<AnyARecord, 'address' | 'ttl'>[]>;
  resolveSrv(name: string): Promise<SrvRecord[]>;
}

/** An address of a name. */
export interface DnsTarget {
  readonly ip: string;
  /** Only SRV records (`_http._tcp.…`) have a port. */
  readonly port?: number;
  readonly weight?: number;
}

/** The addresses of a name, and their TTL. */
export interface DnsAnswer {
  readonly targets: readonly DnsTarget[];
  /** Undefined when the response has no TTL, as for a name that does not exist. */
  readonly ttlSeconds: number | undefined;
}

/** Codes that are answers, not failures: the name does not exist, or has no such records. */
const absences: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Resolves the addresses of a name; for one that begins with `_`, its SRV records of the best priority and their
 * addresses. A name that does not exist has no addresses; a failed lookup rejects.
 */
export async function lookUpName(resolver: DnsResolver, name: string): Promise<DnsAnswer> {
  return name.startsWith('_') ? await lookUpService(resolver, name) : await lookUpHost(resolver, name);
}

async function lookUpHost(resolver: DnsResolver, name: string): Promise<DnsAnswer> {
  const answers = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  const records = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
  const failure = answers.find(answer => answer.status === 'rejected' && !isAbsence(answer.reason));
  // Servers that fail for one address family are common: the other one is then used alone.
  if (records.length === 0 && failure?.status === 'rejected') throw failure.reason;
  return {
    targets: records.flatMap(({ address }) => {
      const ip = canonicalIp(address);
      return ip === undefined ? [] : [{ ip }];
    }),
    ttlSeconds: minOf(records.map(({ ttl }) => ttl)),
  };
}

async function lookUpService(resolver: DnsResolver, name: string): Promise<DnsAnswer> {
  const records = await resolver.resolveSrv(name).catch((reason: unknown): SrvRecord[] => {
    if (isAbsence(reason)) return [];
    throw reason;
  });
  const best = Math.min(...records.map(({ priority }) => priority));
  const hosts = await Promise.all(
    records
      .filter(({ priority }) => priority === best)
      .map(async ({ name: host, port, weight }) => ({ port, weight, answer: await lookUpHost(resolver, host) })),
  );
  return {
    targets: hosts.flatMap(({ port, weight, answer }) =>
      answer.targets.map(({ ip }) => ({ ip, port, weight: Math.max(1, weight) })),
    ),
    ttlSeconds: minOf(hosts.flatMap(({ answer }) => answer.ttlSeconds ?? [])),
  };
}

const isAbsence = (reason: unknown): boolean => absences.has((reason as { readonly code?: unknown } | null)?.code);

const minOf = (seconds: readonly number[]): number | undefined =>
  seconds.length === 0 ? undefined : Math.min(...seconds);
