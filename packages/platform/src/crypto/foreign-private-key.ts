import { createPrivateKey, type KeyObject } from 'node:crypto';
import { ChandleryError } from '@chandlery/api';

/** To sign with larger keys takes seconds, and with those of some ten kilobytes minutes, in which the process does nothing else. */
const maxRsaBits = 4096;
const rsaTypes: readonly unknown[] = ['rsa', 'rsa-pss'];
const edwardsTypes: readonly unknown[] = ['ed25519', 'ed448'];

/** Reads a private key (PEM) that was written by a tenant. Throws `InvalidPrivateKey` for what is none, and for one that is too costly. */
export function readForeignPrivateKey(pem: string): KeyObject {
  const key = parse(pem);
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, namedCurve } = {} } = key;
  if (edwardsTypes.includes(type) || (type === 'ec' && namedCurve !== undefined)) return key;
  if (!rsaTypes.includes(type))
    throw invalid('it is of another type', 'Use a key of RSA, of Ed25519, or of a named elliptic curve.');
  if (modulusLength > maxRsaBits)
    throw invalid(`it has ${modulusLength} bits`, `Use a key of at most ${maxRsaBits} bits.`);
  return key;
}

function parse(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // What the parser says may quote the key.
    throw invalid('it is no private key in PEM', 'Write it without a password.');
  }
}

const invalid = (why: string, hint: string): ChandleryError =>
  new ChandleryError('InvalidPrivateKey', `the private key cannot be used: ${why}`, { hint });
