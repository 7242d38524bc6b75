import type { JsonObject } from '@chandlery/api';
import type { BrokerChange, BrokerRegistration } from '../../../../actions/broker-action-types.ts';
import { smError } from '../../../../errors.ts';
import { applyLabelChanges, parseLabels } from '../../../../model/query/labels.ts';
import type { BrokerRow } from '../../../../model/rows.ts';
import type { BrokerCredentials } from '../../../../ports.ts';
import type { SmRequest } from '../../resource-handler.ts';
import { optionalObject, optionalText, requiredName, requiredText } from '../../shared/body-fields.ts';
import { optionalFlag, patchedRequired, withoutUndefined } from '../../shared/body-rules.ts';

type Limits = NonNullable<BrokerRow['spec']['limits']>;

/** What is registered by a POST. Throws `BadRequest`. */
export function registrationOf(
  { body, tenant, correlationId }: SmRequest,
  protectedLabels: readonly string[],
): BrokerRegistration {
  const internal = optionalText(body, 'internal');
  const address = internal === undefined ? { url: requiredText(body, 'broker_url') } : { internal };
  const { useServerCertificate, ...credentials } = credentialsOf(body) ?? {};
  return withoutUndefined({
    tenant,
    correlationId,
    id: optionalText(body, 'id'),
    name: requiredName(body),
    ...address,
    description: optionalText(body, 'description'),
    labels: parseLabels(body['labels'], protectedLabels),
    credentials,
    useServerCertificate,
    caBundle: optionalText(body, 'ca_bundle'),
    insecureSkipVerify: optionalFlag(body, 'insecure_skip_verify'),
    apiVersion: apiVersionOf(body),
    limits: limitsOf(body),
  });
}

/** What a PATCH changes. Throws `BadRequest`. */
export function changeOf(
  { spec, id }: BrokerRow,
  { body, correlationId }: SmRequest,
  protectedLabels: readonly string[],
): BrokerChange {
  const given = credentialsOf(body);
  const { useServerCertificate = null, ...credentials } = given ?? {};
  const url = optionalText(body, 'broker_url');
  return withoutUndefined({
    correlationId,
    name: body['name'] === undefined ? undefined : patchedRequired(body, 'name', spec.name ?? id),
    // What the view shows for an internal broker may be sent back.
    url: spec.internal === undefined ? url : undefined,
    description: cleared(body, 'description', optionalText(body, 'description')),
    ...(given === undefined ? {} : { credentials, useServerCertificate }),
    caBundle: cleared(body, 'ca_bundle', optionalText(body, 'ca_bundle')),
    insecureSkipVerify: cleared(body, 'insecure_skip_verify', optionalFlag(body, 'insecure_skip_verify')),
    apiVersion: cleared(body, 'api_version', apiVersionOf(body)),
    limits: cleared(body, 'limits', limitsOf(body)),
    labels: labelsAfter(body, protectedLabels),
  });
}

function labelsAfter(body: JsonObject, protectedLabels: readonly string[]): BrokerChange['labels'] {
  const { labels } = body;
  return labels === undefined || labels === null
    ? undefined
    : current => applyLabelChanges(current, labels, protectedLabels);
}

/** Null in the body clears. */
const cleared = <T>(body: JsonObject, field: string, value: T | undefined): T | null | undefined =>
  body[field] === null ? null : value;

/** Credentials as clients write them; undefined when there are none. Which of them go together is checked later. */
function credentialsOf(
  body: JsonObject,
): (BrokerCredentials & { readonly useServerCertificate?: boolean }) | undefined {
  const given = optionalObject(body, 'credentials');
  if (given === undefined) return undefined;
  const basic = optionalObject(given, 'basic') ?? {};
  const tls = optionalObject(given, 'tls') ?? {};
  if (given['basic'] !== undefined && (!basic['username'] || !basic['password']))
    throw smError('BadRequest', 'basic credentials need a username and a password', { field: 'credentials' });
  return withoutUndefined({
    username: optionalText(basic, 'username'),
    password: optionalText(basic, 'password'),
    token: optionalText(given, 'token'),
    clientCertificate: optionalText(tls, 'client_certificate'),
    clientKey: optionalText(tls, 'client_key'),
    useServerCertificate: optionalFlag(tls, 'sm_provided_tls_credentials') === true ? true : undefined,
  });
}

function apiVersionOf(body: JsonObject): string | undefined {
  const version = optionalText(body, 'api_version');
  if (version === undefined || /^\d+\.\d+$/.test(version)) return version;
  throw smError('BadRequest', 'api_version must look like 2.17', { field: 'api_version' });
}

const limitFields: Readonly<Record<string, keyof Limits>> = {
  timeout_ms: 'timeoutMs',
  max_connections: 'maxConnections',
  max_waiting: 'maxWaiting',
  calls_per_second: 'callsPerSecond',
  break_after_failures: 'breakAfterFailures',
  break_ms: 'breakMs',
};

function limitsOf(body: JsonObject): Limits | undefined {
  const given = optionalObject(body, 'limits');
  if (given === undefined) return undefined;
  const entries = Object.entries(given).map(([field, value]) => {
    const key = Object.hasOwn(limitFields, field) ? limitFields[field] : undefined;
    if (key === undefined || typeof value !== 'number')
      throw smError('BadRequest', `limits.${field} is no limit, or no number`, { field: `limits.${field}` });
    return [key, value] as const;
  });
  return Object.fromEntries(entries);
}
