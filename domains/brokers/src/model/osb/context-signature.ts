import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { JsonObject } from '@chandlery/api';
import type { BrokerSettings } from '../../settings.ts';
import { canonicalJson } from '../json.ts';

/** Signs the context that a broker gets with a request for an instance. */
export type ContextSigner = (context: JsonObject, instanceId: string) => JsonObject;

/**
 * A context with the id of its instance and a signature: base64 of RSA PKCS #1 v1.5 with SHA-256 over the JSON of all the
 * rest, its keys sorted at every depth. A signature that came with the context is replaced.
 */
export function signContext(context: JsonObject, instanceId: string, key: KeyObject): JsonObject {
  const { signature: _foreign, ...rest } = context;
  const signed = { ...rest, service_instance_id: instanceId };
  return { ...signed, signature: sign('sha256', Buffer.from(canonicalJson(signed)), key).toString('base64') };
}

/** Signs with the key of the settings; undefined when there is none. Throws for a text that is no private key. */
export function createContextSigner({
  contextPrivateKey,
}: Pick<BrokerSettings, 'contextPrivateKey'>): ContextSigner | undefined {
  if (contextPrivateKey === undefined) return undefined;
  const key = createPrivateKey(contextPrivateKey);
  return (context, instanceId) => signContext(context, instanceId, key);
}

/** The value of `X-Broker-API-Originating-Identity`: the platform's name and who caused the request. */
export const originatingIdentity = (platform: string, object: JsonObject): string =>
  `${platform} ${Buffer.from(JSON.stringify(object)).toString('base64')}`;
