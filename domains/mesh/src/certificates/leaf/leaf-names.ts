import { isIP } from 'node:net';
import { ChandleryError } from '@chandlery/api';
import type { AlternativeNames } from '@chandlery/platform';
import { type ProxyIdentity, parseSpiffeId, proxySpiffeId } from '../../model/identity.ts';

/** Limit of X.520; TLS libraries reject longer common names. */
const maxCommonNameLength = 64;

/** The names in a certificate: the URI is the identity, the common name is for display. */
export interface LeafNames extends AlternativeNames {
  /** Empty when the name is too long. */
  readonly commonName: string;
  readonly uris: readonly [string];
}

/** The names of a proxy or workload. Throws `InvalidIdentity` when the URI would not parse to the same identity. */
export function leafNames(identity: ProxyIdentity): LeafNames {
  const uri = proxySpiffeId(identity);
  const readBack = parseSpiffeId(uri);
  if (readBack === undefined || !isSameIdentity(readBack, identity) || !/^[\x21-\x7e]+$/.test(uri)) {
    throw new ChandleryError(
      'InvalidIdentity',
      `cannot certify ${JSON.stringify(uri)}: it is not an identity of the mesh`,
      {
        hint: 'Names of tenants, clusters, namespaces and accounts are plain ASCII without spaces and slashes.',
      },
    );
  }
  const name = identity.proxyId ?? identity.serviceAccount;
  return { commonName: name.length > maxCommonNameLength ? '' : name, uris: [uri] };
}

const fields = ['trustDomain', 'tenant', 'cluster', 'namespace', 'serviceAccount', 'proxyId'] as const;
const isSameIdentity = (a: ProxyIdentity, b: ProxyIdentity): boolean => fields.every(field => a[field] === b[field]);

/** Separates host names and IP addresses. */
export function serverNames(names: readonly string[]): AlternativeNames {
  const isAddress = (name: string): boolean => isIP(name) !== 0;
  return { dnsNames: names.filter(name => !isAddress(name)), ipAddresses: names.filter(isAddress) };
}
