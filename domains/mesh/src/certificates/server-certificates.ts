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
 * The certificates by which the control plane itself is known. Each replica has its own; asking gives the same one until
 * it is due or another root signs. Servers ask for every connection.
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
