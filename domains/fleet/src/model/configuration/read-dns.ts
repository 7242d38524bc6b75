import { validateDnsSubdomain } from '@chandlery/api';
import type { DnsSettings } from './configuration.ts';
import type { DocumentValue } from './document-value.ts';
import { readOptionalUrl } from './read-url.ts';

/** The port of the embedded DNS server. */
export const defaultDnsPort = 18053;

/** The port of other people's DNS servers. */
const standardDnsPort = 53;

/** The domain of a product whose document names none. It is reserved for private use. */
export const defaultDomain = (productId: string): string => `${productId}.fleet.internal`;

const keyAlgorithms = ['hmac-sha256', 'hmac-sha512', 'hmac-sha384', 'hmac-sha224', 'hmac-sha1', 'hmac-md5'] as const;

/** Reads `dns`. Default: the embedded server. */
export function readDns(value: DocumentValue, productId: string): DnsSettings {
  const type = value.child('type').choice(['embedded', 'route53', 'rfc2136', 'none'], 'embedded');
  switch (type) {
    case 'route53':
      return readRoute53(value);
    case 'rfc2136':
      return readRfc2136(value);
    case 'embedded':
      return readEmbedded(value, productId);
    case 'none':
      value.fields(['type']);
      return { type };
  }
}

function readRoute53(value: DocumentValue): DnsSettings {
  const field = value.fields(['type', 'endpoint', 'domain', 'access_key_id', 'secret_access_key']);
  return {
    type: 'route53',
    endpoint: readOptionalUrl(field('endpoint')),
    domain: readDomain(field('domain')),
    accessKeyId: field('access_key_id').text(),
    secretAccessKey: field('secret_access_key').text(),
  };
}

function readRfc2136(value: DocumentValue): DnsSettings {
  const field = value.fields(['type', 'server', 'port', 'key_name', 'key_algorithm', 'key_secret', 'domain']);
  return {
    type: 'rfc2136',
    server: field('server').text(),
    port: field('port').integer(portRange, standardDnsPort),
    keyName: field('key_name').text(),
    keyAlgorithm: field('key_algorithm').choice(keyAlgorithms, 'hmac-sha256'),
    keySecret: field('key_secret').text(),
    domain: readDomain(field('domain')),
  };
}

function readEmbedded(value: DocumentValue, productId: string): DnsSettings {
  const field = value.fields(['type', 'port', 'domain']);
  const domain = field('domain').isAbsent ? defaultDomain(productId) : readDomain(field('domain'));
  return { type: 'embedded', port: field('port').integer(portRange, defaultDnsPort), domain };
}

const portRange = { min: 1, max: 65_535 };

function readDomain(value: DocumentValue): string {
  const domain = value.text().replace(/\.$/, '');
  if (domain !== '' && validateDnsSubdomain(domain).length > 0) value.reject('must be a DNS name in lower case');
  return domain;
}
