import { X509Certificate } from 'node:crypto';
import { apiError } from '@chandlery/api';
import { type CertificateAuthority, crossCertify, type IssuingAuthority } from '@chandlery/platform';

/**
 * `settled`: there is one authority. `trusted`: there is a new one, trusted beside the old one, which still issues.
 * `issuing`: the new one issues; the old one is still trusted.
 */
export type RotationPhase = 'settled' | 'trusted' | 'issuing';

/** The authorities of the landscape. Replaced as a whole. */
export interface Rotation {
  readonly phase: RotationPhase;
  /** Increases with each change; replicas report the one that they follow. 0: never rotated. */
  readonly version: number;
  /** The one of `settled`, else the new one. */
  readonly present: CertificateAuthority;
  /** What is being replaced. Undefined when settled. */
  readonly old: CertificateAuthority | undefined;
  /** RFC 3339; when the phase began. Undefined: with the landscape. */
  readonly since: string | undefined;
  /** RFC 3339; when the old authority is dropped without a command. Undefined: never. */
  readonly dropAt: string | undefined;
}

/** The common name of an authority, as TLS connections say the issuer of a certificate. */
export function commonNameOf({ certificatePem }: CertificateAuthority): string {
  const { CN: name = '' } = new X509Certificate(certificatePem).toLegacyObject().subject as {
    readonly CN?: string | readonly string[];
  };
  return typeof name === 'string' ? name : (name.at(-1) ?? '');
}

/** The landscape before its first rotation. */
export const initialRotation = (present: CertificateAuthority): Rotation => ({
  phase: 'settled',
  version: 0,
  present,
  old: undefined,
  since: undefined,
  dropAt: undefined,
});

/** Trusts a new authority beside the present one. A rotation that is under way stays as it is. */
export function trustNew(rotation: Rotation, makeAuthority: () => CertificateAuthority, now: Date): Rotation {
  if (rotation.phase !== 'settled') return rotation;
  return next(rotation, { phase: 'trusted', present: makeAuthority(), old: rotation.present }, now);
}

/** Lets the new authority issue. Rejects with `Conflict` when there is none. */
export function useNew(rotation: Rotation, dropAt: string | undefined, now: Date): Rotation {
  if (rotation.phase === 'settled') throw noRotation();
  if (rotation.phase === 'issuing' && (dropAt ?? rotation.dropAt) === rotation.dropAt) return rotation;
  return next(rotation, { phase: 'issuing', dropAt: dropAt ?? rotation.dropAt }, now);
}

/** Forgets the old authority. Rejects with `Conflict` while it issues. */
export function dropOld(rotation: Rotation, now: Date): Rotation {
  if (rotation.phase === 'settled') return rotation;
  if (rotation.phase === 'trusted')
    throw apiError('Conflict', 'the old certificate authority still issues: use the new one first');
  return next(rotation, { phase: 'settled', old: undefined, dropAt: undefined }, now);
}

/** Whether the old authority is to be dropped by now. */
export const isDropDue = ({ phase, dropAt }: Rotation, now: Date): boolean =>
  phase === 'issuing' && dropAt !== undefined && Date.parse(dropAt) <= now.getTime();

const next = (rotation: Rotation, change: Partial<Rotation>, now: Date): Rotation => ({
  ...rotation,
  ...change,
  version: rotation.version + 1,
  since: now.toISOString(),
});

const noRotation = () =>
  apiError('Conflict', 'no rotation of the certificate authority is under way: make a new authority first');

/** Who issues in a phase, what goes with its certificates, and whom to trust. The one that issues is trusted first. */
export function issuingOf({ phase, present, old }: Rotation): IssuingAuthority {
  if (old === undefined) return { authority: present, chainPem: '', trustPem: present.certificatePem };
  if (phase === 'trusted')
    return { authority: old, chainPem: '', trustPem: `${old.certificatePem}${present.certificatePem}` };
  return {
    authority: present,
    chainPem: crossCertify(present, old),
    trustPem: `${present.certificatePem}${old.certificatePem}`,
  };
}
