import { isIP } from 'node:net';
import type { DnsSettings } from './configuration/configuration.ts';
import type { InstanceRoutes } from './instance-events.ts';

const maxNamePart = 10;
const ingressPrefix = 'apps';
const instancePrefix = 'kas';
/** All names below it lead to this machine (RFC 6761). */
const loopbackDomain = 'localhost';

/** What a host is made of. */
export interface HostInput {
  readonly id: string;
  readonly name: string;
  /** The base of the cluster's routes. */
  readonly clusterDns: string;
  readonly dns: DnsSettings;
}

/**
 * The DNS name of an instance: the beginning of its name, its id (which makes it unique), and the zone; without a zone
 * the cluster's domain, with `kas` in place of its first `apps`. A cluster on this machine is reached at an address and
 * has no domain; names below `localhost` lead to it.
 */
export function hostOf({ id, name, clusterDns, dns }: HostInput): string {
  const label = `${name.slice(0, maxNamePart)}-${id}`.toLowerCase().replaceAll(/[^a-z0-9-]/g, '');
  return `${label}.${dns.type === 'none' ? instancesDomain(clusterDns) : dns.domain}`;
}

const instancesDomain = (clusterDns: string): string =>
  isIP(clusterDns) === 0 ? clusterDns.replace(ingressPrefix, instancePrefix) : loopbackDomain;

/** The domain that all routers of a cluster are in: its DNS name without the leading `apps.`. */
export const baseDomainOf = (clusterDns: string): string =>
  clusterDns.startsWith(`${ingressPrefix}.`) ? clusterDns.slice(ingressPrefix.length + 1) : clusterDns;

/** A route as an agent reports it. */
export interface RouteReport {
  readonly prefix: string;
  readonly router: string;
}

/** Turns reported routes into DNS names. Says what is wrong when a router is not in the cluster's domain. */
export function readRoutes(
  reported: readonly RouteReport[],
  { host, clusterDns }: { readonly host: string; readonly clusterDns: string },
): { readonly routes: InstanceRoutes } | { readonly problem: string } {
  const base = baseDomainOf(clusterDns);
  const stray = reported.find(({ router }) => !isWithin(router, base));
  if (stray !== undefined) return { problem: strayRouter(stray.router, base) };
  return {
    routes: reported.map(({ prefix, router }) => ({ domain: prefix === '' ? host : `${prefix}-${host}`, router })),
  };
}

const strayRouter = (router: string, base: string): string =>
  base === ''
    ? `the agent reports router ${router}, but the domain of the cluster is not known: set its cluster_dns`
    : `the agent reports router ${router}, which is not in the domain ${base} of the cluster: correct its cluster_dns, or the router host of its agent`;

/** Whether a DNS name is a domain or below it. */
export const isWithin = (name: string, domain: string): boolean =>
  domain !== '' && (name === domain || name.endsWith(`.${domain}`));
