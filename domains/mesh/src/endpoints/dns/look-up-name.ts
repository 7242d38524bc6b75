import type { AnyARecord, SrvRecord } from 'node:dns';
import { canonicalIp } from '../../model/endpoints/canonical-ip.ts';

/** The part of a resolver of `node:dns/promises` that is used. */
export interface DnsResolver {
  resolve4(name: string, options: { ttl: true }): Promise<Pick<AnyARecord, 'address' | 'ttl'>[]>;
  resolve6(name: string, options: { ttl: true }): Promise<Pick<AnyARecord, 'address' | 'ttl'>[]>;
  resolveSrv(name: string): Promise<SrvRecord[]>;
}

/** An address behind a name. */
export interface DnsTarget {
  readonly ip: string;
  /** Only names of services (`_http._tcp.…`) say it. */
  readonly port?: number;
  readonly weight?: number;
}

/** What a name stands for, and for how long. */
export interface DnsAnswer {
  readonly targets: readonly DnsTarget[];
  /** Undefined when nobody said, as for a name that does not exist. */
  readonly ttlSeconds: number | undefined;
}

/** Codes that are an answer and no failure: the name is not there, or has no such records. */
const absences: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Asks for the addresses of a name; for one that begins with `_`, for its services and their addresses. Of services only
 * those of the best priority count. A name that does not exist has no addresses; when nobody answers it rejects.
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
  // Servers that cannot speak of one family are common: the other then stands for both.
  if (records.length === 0 && failure?.status === 'rejected') throw failure.reason;
  return {
    targets: records.flatMap(({ address }) => {
      const ip = canonicalIp(address);
      return ip === undefined ? [] : [{ ip }];
    }),
    ttlSeconds: least(records.map(({ ttl }) => ttl)),
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
    ttlSeconds: least(hosts.flatMap(({ answer }) => answer.ttlSeconds ?? [])),
  };
}

const isAbsence = (reason: unknown): boolean => absences.has((reason as { readonly code?: unknown } | null)?.code);

const least = (seconds: readonly number[]): number | undefined =>
  seconds.length === 0 ? undefined : Math.min(...seconds);
