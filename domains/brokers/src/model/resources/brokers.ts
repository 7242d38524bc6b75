import type { JsonObject } from '@chandlery/api';
import { smError } from '../../errors.ts';
import { withoutUndefined } from '../json.ts';
import type { BrokerRow } from '../rows.ts';
import { optionalFlag, optionalObject, optionalText, requiredName, requiredText } from './body-fields.ts';
import { defineResource, nameField, type Viewed, viewOf } from './resource.ts';
import { anyObject, flag, objectSchema, text } from './schemas.ts';

type Broker = Viewed<BrokerRow>;
type Limits = NonNullable<BrokerRow['spec']['limits']>;

const limitFields: Readonly<Record<string, keyof Limits>> = {
  timeout_ms: 'timeoutMs',
  max_connections: 'maxConnections',
  max_waiting: 'maxWaiting',
  calls_per_second: 'callsPerSecond',
  break_after_failures: 'breakAfterFailures',
  break_ms: 'breakMs',
};

/** Brokers. Their credentials are accepted and never shown; the handler reads addresses and credentials. */
export const brokerResource = defineResource<Broker>({
  accepts: { create: 'with-id', patch: true },
  inputOnly: {
    credentials: {
      schema: objectSchema({
        basic: objectSchema({ username: text, password: text }, ['username', 'password']),
        token: text,
        tls: objectSchema({ client_certificate: text, client_key: text, sm_provided_tls_credentials: flag }),
      }),
      input: {},
    },
    ca_bundle: { schema: text, input: { key: 'caBundle', parse: optionalText } },
    insecure_skip_verify: { schema: flag, input: { key: 'insecureSkipVerify', parse: optionalFlag } },
  },
  fields: {
    name: nameField({ isRequired: true, key: 'name', parse: requiredName, parsePatch: requiredText }),
    broker_url: {
      type: 'string',
      read: ({ spec }) => spec.url ?? `internal:${spec.internal}`,
      schema: text,
      input: {},
    },
    description: {
      type: 'string',
      read: ({ spec }) => spec.description ?? '',
      schema: text,
      input: { key: 'description', parse: optionalText },
    },
    internal: { type: 'string', read: ({ spec }) => spec.internal, schema: text, input: {} },
    api_version: {
      type: 'string',
      read: ({ spec, status }) => spec.apiVersion ?? status.apiVersion,
      schema: text,
      input: { key: 'apiVersion', parse: readApiVersion },
    },
    limits: {
      type: 'json',
      read: ({ spec: { limits } }) => (limits === undefined ? undefined : limitsView(limits)),
      schema: anyObject,
      query: false,
      input: { key: 'limits', parse: readLimits },
    },
  },
});

/** A broker as the REST API shows it, without credentials and catalog. */
export const brokerView = viewOf(brokerResource);

const limitsView = (limits: Limits): JsonObject =>
  withoutUndefined(Object.fromEntries(Object.entries(limitFields).map(([name, key]) => [name, limits[key]])));

function readApiVersion(body: JsonObject, field: string): string | undefined {
  const version = optionalText(body, field);
  if (version === undefined || /^\d+\.\d+$/.test(version)) return version;
  throw smError('BadRequest', 'api_version must look like 2.17', { field });
}

function readLimits(body: JsonObject, field: string): Limits | undefined {
  const given = optionalObject(body, field);
  if (given === undefined) return undefined;
  const entries = Object.entries(given).map(([name, value]) => {
    const key = Object.hasOwn(limitFields, name) ? limitFields[name] : undefined;
    if (key === undefined || typeof value !== 'number')
      throw smError('BadRequest', `limits.${name} is no limit, or no number`, { field: `limits.${name}` });
    return [key, value] as const;
  });
  return Object.fromEntries(entries);
}
