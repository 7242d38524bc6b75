import { X509Certificate } from 'node:crypto';
import { type Clock, systemClock } from '@chandlery/platform';
import { type ProxyIdentity, parseSpiffeId } from '../model/identity.ts';
import type { MeshAuthority } from '../ports.ts';
import { certificateUris } from './certificate-uris.ts';
import { fingerprintOf } from './roots/fingerprint.ts';

/** The verified identity of a peer, or why the verification failed. */
export type PeerVerdict =
  | { readonly type: 'known'; readonly identity: ProxyIdentity; readonly rootFingerprint: string }
  | { readonly type: 'unknown'; readonly reason: string };

/** The certificate of a peer. */
export interface PeerCertificate {
  readonly leaf: X509Certificate;
  /**
   * The bundle (PEM) against which TLS verified the leaf in a full handshake of this connection. If it is still
   * current, the signature is not verified again, which is the most expensive part. Default: not verified.
   */
  readonly verifiedBundle?: string;
}

/** Verifies the certificate of a peer; undefined: the peer has none. */
export type PeerVerifier = (shown: PeerCertificate | undefined) => PeerVerdict;

const clientUsage = '1.3.6.1.5.5.7.3.2';

/**
 * Verifies peers against the current trust: a leaf that a root of the bundle signed directly, within its validity, for
 * client authentication, with exactly one URI, which is an identity of a valid trust domain.
 */
export function createPeerVerifier(
  authority: Pick<MeshAuthority, 'trustBundle' | 'trustDomains'>,
  clock: Clock = systemClock,
): PeerVerifier {
  const rootsOf = createRootReader();
  return shown => {
    if (shown === undefined) return unknown('there is no certificate');
    const { leaf, verifiedBundle } = shown;
    const { trustBundle } = authority;
    const root = findRoot(leaf, rootsOf(trustBundle), verifiedBundle === trustBundle);
    if (root === undefined) return unknown('no root of the mesh has signed the certificate');
    const reason = whyUnfit(leaf, root, clock.now());
    return reason === undefined ? identify(leaf, root, authority.trustDomains) : unknown(reason);
  };
}

/** Bundles change rarely, so that the last one is cached. */
function createRootReader(): (bundle: string) => readonly X509Certificate[] {
  let known = { bundle: '', roots: [] as readonly X509Certificate[] };
  return bundle => {
    if (known.bundle !== bundle) known = { bundle, roots: splitBundle(bundle).map(pem => new X509Certificate(pem)) };
    return known.roots;
  };
}

/** Returns the root that signed a leaf. For a leaf that TLS has verified, names and key ids identify the root. */
function findRoot(
  leaf: X509Certificate,
  roots: readonly X509Certificate[],
  isVerified: boolean,
): X509Certificate | undefined {
  const named = roots.filter(root => leaf.checkIssued(root));
  if (isVerified && named.length === 1) return named[0];
  return named.find(root => leaf.verify(root.publicKey));
}

function whyUnfit(leaf: X509Certificate, root: X509Certificate, now: Date): string | undefined {
  if (now < leaf.validFromDate) return `the certificate is not valid before ${leaf.validFromDate.toISOString()}`;
  if (now > leaf.validToDate) return `the certificate ended at ${leaf.validToDate.toISOString()}`;
  if (now > root.validToDate) return `the root of the certificate ended at ${root.validToDate.toISOString()}`;
  if (leaf.ca) return 'the certificate is one of an authority';
  return leaf.keyUsage?.includes(clientUsage) ? undefined : 'the certificate is not meant for clients';
}

function identify(leaf: X509Certificate, root: X509Certificate, trustDomains: readonly string[]): PeerVerdict {
  const [uri, ...more] = certificateUris(leaf);
  if (uri === undefined || more.length > 0) return unknown('the certificate must have exactly one URI');
  const identity = parseSpiffeId(uri);
  if (identity === undefined) return unknown(`${JSON.stringify(uri)} is not an identity of the mesh`);
  if (!trustDomains.includes(identity.trustDomain)) {
    return unknown(`the trust domain ${JSON.stringify(identity.trustDomain)} does not hold`);
  }
  return { type: 'known', identity, rootFingerprint: fingerprintOf(root) };
}

const unknown = (reason: string): PeerVerdict => ({ type: 'unknown', reason });

/** Splits a PEM text into its certificates. */
export const splitBundle = (bundle: string): readonly string[] =>
  bundle.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n?/g) ?? [];
