import { createSecureContext, type SecureContext } from 'node:tls';
import type { HostCertificates } from '@chandlery/platform';
import { type TlsMaterial, tlsOptions } from './listener.ts';

/** What Node asks for the certificate of a server name; without a context the server's own is used. */
export type SniCallback = (serverName: string, done: (error: Error | null, context?: SecureContext) => void) => void;

type FoundCertificate = NonNullable<Awaited<ReturnType<HostCertificates['find']>>>;

/**
 * Returns the callback that chooses certificates by SNI. `clientCa` is the server's own: authorities that are named keep
 * browsers from offering certificates of others.
 */
export function sniCallback(certificates: HostCertificates, clientCa: TlsMaterial['clientCa']): SniCallback {
  const contexts = new WeakMap<FoundCertificate, SecureContext>();
  const contextOf = (found: FoundCertificate): SecureContext => {
    const context = contexts.get(found) ?? makeContext(found, clientCa);
    contexts.set(found, context);
    return context;
  };
  return (serverName, done) => {
    certificates.find(serverName.toLowerCase()).then(
      found => (found === undefined ? done(null) : done(null, contextOf(found))),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  };
}

function makeContext(
  { certificatePem: cert, privateKeyPem: key }: FoundCertificate,
  clientCa: TlsMaterial['clientCa'],
): SecureContext {
  return createSecureContext(tlsOptions({ cert, key, ...(clientCa === undefined ? {} : { clientCa }) }));
}
