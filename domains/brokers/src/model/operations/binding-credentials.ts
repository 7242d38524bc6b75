import type { JsonObject, JsonValue } from '@chandlery/api';
import type { BindingRow } from '../rows.ts';
import { secretNameOf } from './secret-name.ts';

/** The key that has the credentials whole. */
const wholeKey = 'credentials.json';

/** The Secret that the credentials of a binding go to. */
export const credentialsSecretOf = ({ id, spec }: BindingRow): string => spec.secretName ?? secretNameOf('binding', id);

/** What a Secret holds of credentials: each top-level field that can be a key, as text or JSON, and all as JSON. */
export function credentialsData(credentials: JsonObject): Record<string, string> {
  const fields = Object.entries(credentials).filter(([key]) => /^[-._a-zA-Z0-9]{1,253}$/.test(key));
  const texts = fields.map(([key, value]) => [key, textOf(value)] as const);
  return { ...Object.fromEntries(texts), [wholeKey]: JSON.stringify(credentials) };
}

/** What a broker says of a binding besides its credentials, in the words of the status. */
export function bindingFacts(body: JsonObject): Partial<BindingRow['status']> {
  const facts = {
    syslogDrainUrl: body['syslog_drain_url'],
    routeServiceUrl: body['route_service_url'],
    volumeMounts: body['volume_mounts'],
    endpoints: body['endpoints'],
    metadata: body['metadata'],
  };
  const given = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given);
}

const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null);
