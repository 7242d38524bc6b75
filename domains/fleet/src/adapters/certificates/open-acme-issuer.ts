import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { CertificateIssuer } from '@chandlery/platform';
import type { DnsSettings } from '../../model/configuration/configuration.ts';
import { DocumentValue, type Problem } from '../../model/configuration/document-value.ts';
import { readDns } from '../../model/configuration/read-dns.ts';
import type { DnsZone } from '../../ports.ts';
import { EmbeddedDnsServer } from '../dns/embedded-dns-server.ts';
import { Rfc2136DnsZone } from '../dns/rfc2136-zone.ts';
import { Route53DnsZone } from '../dns/route53-zone.ts';
import { AcmeIssuer } from './acme/acme-issuer.ts';
import { storedAccountKey } from './acme/stored-account-key.ts';

type ZoneSettings = Exclude<DnsSettings, { readonly type: 'none' }>;

/** An ACME server, and the DNS zone in which its challenges are answered. */
export interface AcmeSettings {
  readonly directoryUrl: string;
  readonly email: string | undefined;
  readonly dns: ZoneSettings;
}

/** Reads `{directory_url, email?, dns}`, where `dns` is as in the configuration of a product. Throws `InvalidOption` with all problems. */
export function readAcmeSettings(given: unknown, path: string): AcmeSettings {
  const problems: Problem[] = [];
  const value = new DocumentValue(given, path, problems);
  const field = value.fields(['directory_url', 'email', 'dns']);
  const dns = readDns(field('dns'), path);
  if (dns.type === 'none' || field('dns').isAbsent) field('dns').reject('must name a DNS zone');
  const email = field('email').isAbsent ? undefined : field('email').text();
  const settings = { directoryUrl: field('directory_url').text(), email, dns };
  if (problems.length === 0 && settings.dns.type !== 'none') return { ...settings, dns: settings.dns };
  const text = problems.map(problem => `${problem.path} ${problem.message}`).join('; ');
  throw new ChandleryError('InvalidOption', `the settings of ACME cannot be used: ${text}`);
}

/** An issuer of certificates in one domain. */
export interface DomainIssuer extends AsyncDisposable {
  readonly issuer: CertificateIssuer;
  readonly domain: string;
}

/** Opens an ACME account. `client`: of the cluster in whose fleet namespace the key of the account is kept, by its name. */
export async function openAcmeIssuer(
  { directoryUrl, email, dns }: AcmeSettings,
  { client, account }: { readonly client: Client; readonly account: string },
): Promise<DomainIssuer> {
  await using stack = new AsyncDisposableStack();
  const zone = await openZone(dns, stack);
  const accountKeyPem = await storedAccountKey(client, account);
  const contact = email === undefined ? {} : { contact: [`mailto:${email}`] };
  const issuer = stack.use(new AcmeIssuer({ zone, directoryUrl, accountKeyPem, ...contact }));
  const all = stack.move();
  return { issuer, domain: dns.domain, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function openZone(dns: ZoneSettings, stack: AsyncDisposableStack): Promise<DnsZone> {
  switch (dns.type) {
    case 'embedded':
      return stack.use(await EmbeddedDnsServer.start({ port: dns.port })).zone(dns.domain);
    case 'rfc2136':
      return new Rfc2136DnsZone(dns);
    case 'route53': {
      const { endpoint, ...options } = dns;
      return stack.use(await Route53DnsZone.open({ ...options, ...(endpoint === undefined ? {} : { endpoint }) }));
    }
  }
}
