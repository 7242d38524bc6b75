import { createHash } from 'node:crypto';
import type { CertificateAuthority } from '@chandlery/platform';
import type { RootRole } from '../../kinds/mesh-root-certificate.ts';

/** A root with its certificate and key. */
export interface Root {
  readonly name: string;
  readonly role: RootRole;
  readonly trustDomain: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly replaces?: string;
  readonly fingerprint: string;
  readonly authority: CertificateAuthority;
}

/** The trusted roots and the signing root at one moment. */
export interface Trust {
  /** Trusted roots, oldest first. */
  readonly roots: readonly Root[];
  /** Undefined when no root is active. */
  readonly signer: Root | undefined;
  /** PEM of {@link roots}. */
  readonly bundle: string;
  /** Sorted. */
  readonly domains: readonly string[];
  /** Derived from the fields above and all roles: each step of a rotation has another version. */
  readonly version: string;
}

/** Derives the trust from the roots alone, so that all replicas compute the same. */
export function trustOf(all: readonly Root[]): Trust {
  const roots = all.filter(({ role }) => role !== 'inactive').sort(byAge);
  const signer = chooseSigner(roots);
  const bundle = roots.map(({ authority }) => authority.certificatePem).join('');
  const domains = [...new Set(roots.map(({ trustDomain }) => trustDomain))].sort();
  const facts = roots.map(({ fingerprint, role, trustDomain }) => [fingerprint, role, trustDomain]);
  const summary = JSON.stringify([facts, signer?.fingerprint ?? '']);
  const version = createHash('sha256').update(summary).digest('hex').slice(0, 16);
  return { roots, signer, bundle, domains, version };
}

/** Of several active roots: the one that replaces another, otherwise the youngest. Both choices are stable. */
function chooseSigner(roots: readonly Root[]): Root | undefined {
  const active = roots.filter(({ role }) => role === 'active');
  const successor = active.findLast(({ replaces }) => active.some(({ name }) => name === replaces));
  return successor ?? active.at(-1);
}

/** Creation times have whole seconds, so that the name is the tie-breaker. */
const byAge = (a: Root, b: Root): number => compare(a.createdAt, b.createdAt) || compare(a.name, b.name);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
