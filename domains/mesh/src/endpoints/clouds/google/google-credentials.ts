import { type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ChandleryError, isJsonObject } from '@chandlery/api';
import { readForeignPrivateKey } from '@chandlery/platform';
import type { SecretEntries } from '../../../ports/clouds.ts';
import { cloudError } from '../cloud-errors.ts';
import { apiUrl, type CloudRequest } from '../cloud-http.ts';
import { tokenRequest } from '../oauth-token.ts';

/** What tokens are for. */
export const googleScopes = {
  compute: 'https://www.googleapis.com/auth/compute.readonly',
  events: 'https://www.googleapis.com/auth/pubsub',
} as const;
const tokenHost = 'oauth2.googleapis.com';
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const lifeSeconds = 3600;
/** The metadata service of an instance, which is reached without TLS. */
const metadataUrl = 'http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token';

export interface GoogleLogin {
  /** One of {@link googleScopes}. */
  readonly scope: string;
  /** Undefined: the credentials of the server. */
  readonly secret: SecretEntries | undefined;
  /** Of a test server. Default: that of Google. */
  readonly endpoint?: string;
  readonly nowMs: number;
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface ServiceAccountKey {
  readonly email: string;
  readonly keyId: string | undefined;
  readonly privateKey: KeyObject;
}

/**
 * The request of an access token: with the key of a service account; for the server with the key file that
 * `GOOGLE_APPLICATION_CREDENTIALS` names, or the service account of its machine. The addresses in a key are ignored.
 */
export async function googleTokenRequest({
  scope,
  secret,
  endpoint,
  nowMs,
  env = process.env,
}: GoogleLogin): Promise<CloudRequest> {
  const key = secret === undefined ? await serverKey(env) : parseKey(secret['key.json'], inSecret);
  if (key === undefined) {
    return { method: 'GET', url: new URL(metadataUrl), headers: { 'metadata-flavor': 'Google' } };
  }
  const url = apiUrl(endpoint, tokenHost, '/token');
  return tokenRequest(url, { grant_type: grantType, assertion: assertionOf(key, scope, Math.floor(nowMs / 1000)) });
}

async function serverKey(env: NonNullable<GoogleLogin['env']>): Promise<ServiceAccountKey | undefined> {
  const { GOOGLE_APPLICATION_CREDENTIALS: path } = env;
  return path ? parseKey(await readFile(path, 'utf8').catch(() => undefined), ofServer) : undefined;
}

function parseKey(text: string | undefined, unusable: () => ChandleryError): ServiceAccountKey {
  try {
    const key: unknown = JSON.parse(text ?? '');
    if (!isJsonObject(key)) throw unusable();
    const { client_email: email, private_key: pem, private_key_id: keyId } = key;
    if (typeof email !== 'string' || typeof pem !== 'string') throw unusable();
    const privateKey = readForeignPrivateKey(pem);
    if (privateKey.asymmetricKeyType !== 'rsa') throw unusable();
    return { email, privateKey, keyId: typeof keyId === 'string' ? keyId : undefined };
  } catch {
    throw unusable();
  }
}

/** A JWT that the key signs: the audience is that of Google, also towards a test server. */
function assertionOf({ email, keyId, privateKey }: ServiceAccountKey, scope: string, nowSeconds: number): string {
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId && { kid: keyId }) };
  const times = { iat: nowSeconds, exp: nowSeconds + lifeSeconds };
  const claims = { iss: email, scope, aud: `https://${tokenHost}/token`, ...times };
  const content = [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${content}.${sign('RSA-SHA256', Buffer.from(content), privateKey).toString('base64url')}`;
}

const inSecret = () =>
  cloudError('CloudCredentialsInvalid', 'the Secret has no key of a service account in the entry key.json', {
    hint: 'Create a key of type JSON for the service account, and write the file as this entry.',
  });

/** It does not name the file: tenants see it. */
const ofServer = () =>
  cloudError('CloudCredentialsInvalid', 'the server has no key of a service account of Google', {
    hint: 'Its operator has to correct GOOGLE_APPLICATION_CREDENTIALS.',
  });
