import { X509Certificate } from 'node:crypto';
import { readForeignPrivateKey } from '@chandlery/platform';
import { smError } from '../../errors.ts';
import type { BrokerRow } from '../rows.ts';
import type { BrokerCredentials } from './broker-secret.ts';

/** How a broker is to be called. */
interface Access {
  readonly credentials: BrokerCredentials;
  readonly spec: Pick<BrokerRow['spec'], 'internal' | 'useServerCertificate'>;
  /** Whether the service manager has a certificate of its own. */
  readonly hasServerCertificate: boolean;
}

/**
 * Throws `BadRequest` unless there is a way to prove who calls: a user name with its password or a token, a certificate
 * with its key or the service manager's own, or both of these. Internal brokers need none.
 */
export function checkBrokerCredentials({ credentials, spec, hasServerCertificate }: Access): void {
  if (spec.internal !== undefined) return;
  const hasHeader = checkHeaderCredentials(credentials);
  const hasCertificate = checkPair(credentials);
  const usesServerCertificate = spec.useServerCertificate === true;
  if (usesServerCertificate && hasCertificate)
    throw reject('a client certificate and the certificate of the service manager exclude each other');
  if (usesServerCertificate && !hasServerCertificate) throw reject('the service manager has no certificate of its own');
  if (!hasHeader && !hasCertificate && !usesServerCertificate)
    throw reject('a broker needs credentials: basic, a token, or tls');
}

function checkHeaderCredentials({ username = '', password = '', token = '' }: BrokerCredentials): boolean {
  if ((username === '') !== (password === '')) throw reject('basic credentials need a user name and a password');
  if (username !== '' && token !== '') throw reject('basic credentials and a token exclude each other');
  return username !== '' || token !== '';
}

function checkPair({ clientCertificate = '', clientKey = '' }: BrokerCredentials): boolean {
  if (clientCertificate === '' && clientKey === '') return false;
  if (clientCertificate === '' || clientKey === '') throw reject('a client certificate and its key must come together');
  if (!isPair(clientCertificate, clientKey))
    throw reject('the client certificate and key are no valid pair in PEM, or the key is larger than 4096 bits');
  return true;
}

function isPair(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(readForeignPrivateKey(key));
  } catch {
    // What the parser says may quote the key.
    return false;
  }
}

const reject = (message: string) => smError('BadRequest', message, { field: 'credentials' });
