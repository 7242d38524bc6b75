import type { Clock } from '@chandlery/platform';
import type { ServerCertificate } from '../ports.ts';
import { issueServerLeaf } from './leaf/issue-leaf.ts';
import { renewalTime } from './leaf/renewal.ts';
import type { Root } from './roots/trust.ts';

const ttlMs = 24 * 60 * 60 * 1000;

interface KnownCertificate {
  readonly certificate: ServerCertificate;
  readonly root: string;
  readonly renewAt: Date;
}

/**
 * Server certificates of the control plane, one per replica and list of names. A certificate is cached until it is due
 * for renewal or another root signs.
 */
export function createServerCertificates(
  signer: () => Root,
  clock: Clock,
): (names: readonly string[]) => ServerCertificate {
  const known = new Map<string, KnownCertificate>();
  return names => {
    const key = JSON.stringify(names);
    const root = signer();
    const now = clock.now();
    const present = known.get(key);
    if (present?.root === root.fingerprint && now < present.renewAt) return present.certificate;
    const issued = issueServerLeaf(names, { authority: root.authority, now, ttlMs });
    const { certificatePem: chain, privateKeyPem: privateKey, notAfter } = issued;
    const certificate = { chain, privateKey, notAfter };
    known.set(key, { certificate, root: root.fingerprint, renewAt: renewalTime(issued, 0) });
    return certificate;
  };
}
