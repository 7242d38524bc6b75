import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

/** What a machine signs with the key that it joins with. */
export interface JoinStatement {
  /** Landscape, cluster and namespace that it joins, see {@link joinPlace}. */
  readonly place: string;
  readonly rule: string;
  /** The document of its cloud, as it is sent. */
  readonly document: string;
  /** ISO 8601. */
  readonly time: string;
}

/** `audience` is that of the landscape. */
export const joinPlace = (audience: string, cluster: string, namespace: string): string =>
  [audience, cluster, namespace].join('/');

/** Clocks may differ by so much. */
export const maxSkewMs = 5 * 60_000;

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The bytes that are signed. */
export const joinProofText = ({ place, rule, document, time }: JoinStatement): Buffer =>
  Buffer.from(['chandlery mesh join', place, rule, sha256(document), time].join('\n'));

/** A public key in PEM, and nothing else: a private key may be encrypted, and its password be costly to try. */
const publicKeyPem = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]{1,400})-----END PUBLIC KEY-----\s*$/;

/** The key of a proof (SPKI in PEM, P-256); undefined for anything else. */
export function parseJoinKey(pem: string): KeyObject | undefined {
  const [, base64] = publicKeyPem.exec(pem) ?? [];
  if (base64 === undefined) return undefined;
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** SHA-256 of a public key, hexadecimal. */
export const thumbprintOf = (key: KeyObject): string => sha256(key.export({ type: 'spki', format: 'der' }));

export const isProven = (statement: JoinStatement, key: KeyObject, signature: string): boolean =>
  verify('sha256', joinProofText(statement), key, Buffer.from(signature, 'base64'));

/** The name of the object that records the joins of a machine: an id has characters that names lack. */
export const joinName = (machine: { readonly cloud: string; readonly account: string; readonly id: string }): string =>
  `${machine.cloud}-${sha256([machine.account, machine.id].join('\n')).slice(0, 40)}`;
