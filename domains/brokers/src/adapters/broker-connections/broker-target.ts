import { createHash } from 'node:crypto';
import type { BrokerRow } from '../../model/rows.ts';
import type { BrokerCredentials, BrokerTarget } from '../../ports.ts';

type SecretData = Readonly<Record<string, string>>;

/** A registered broker, as its row and its Secret say. */
export const targetOf = ({ id, spec }: BrokerRow, secret: SecretData | undefined): BrokerTarget => ({
  name: spec.name ?? id,
  spec,
  credentials: credentialsOf(secret ?? {}),
});

function credentialsOf(secret: SecretData): BrokerCredentials {
  const { username, password, token, client_certificate: clientCertificate, client_key: clientKey } = secret;
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(token === undefined ? {} : { token }),
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(clientKey === undefined ? {} : { clientKey }),
  };
}

/** Changes when other connections are needed: not when the broker's catalog was fetched, or its labels changed. */
export function fingerprintOf({ name, spec, credentials }: BrokerTarget): string {
  const { url, internal, caBundle, insecureSkipVerify, useServerCertificate, limits } = spec;
  const parts = [name, url, internal, caBundle, insecureSkipVerify, useServerCertificate, limits, credentials];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
