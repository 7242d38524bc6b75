import type { JsonObject } from '@chandlery/api';
import type { BrokerChange, BrokerRegistration } from '../../../../actions/broker-action-types.ts';
import { smError } from '../../../../errors.ts';
import { withoutUndefined } from '../../../../model/json.ts';
import { applyLabelChanges, parseLabels } from '../../../../model/query/labels.ts';
import { optionalFlag, optionalObject, optionalText, requiredText } from '../../../../model/resources/body-fields.ts';
import { brokerResource } from '../../../../model/resources/brokers.ts';
import { readCreate, readPatch } from '../../../../model/resources/resource.ts';
import type { BrokerRow } from '../../../../model/rows.ts';
import type { BrokerCredentials } from '../../../../ports.ts';
import type { SmRequest } from '../../resource-handler.ts';

/** The registration that a POST asks for. Throws `BadRequest`. */
export function registrationOf(
  { body, tenant, correlationId }: SmRequest,
  protectedLabels: readonly string[],
): BrokerRegistration {
  const internal = optionalText(body, 'internal');
  const address = internal === undefined ? { url: requiredText(body, 'broker_url') } : { internal };
  const { useServerCertificate, ...credentials } = credentialsOf(body) ?? {};
  const fields = readCreate(brokerResource, body) as Pick<BrokerRegistration, 'name'>;
  return withoutUndefined({
    tenant,
    correlationId,
    id: optionalText(body, 'id'),
    ...fields,
    ...address,
    labels: parseLabels(body['labels'], protectedLabels),
    credentials,
    useServerCertificate,
  });
}

/** The change that a PATCH asks for. Throws `BadRequest`. */
export function changeOf(
  { spec }: BrokerRow,
  { body, correlationId }: SmRequest,
  protectedLabels: readonly string[],
): BrokerChange {
  const given = credentialsOf(body);
  const { useServerCertificate = null, ...credentials } = given ?? {};
  const url = optionalText(body, 'broker_url');
  return withoutUndefined({
    correlationId,
    ...(readPatch(brokerResource, body) as Partial<BrokerChange>),
    // Clients may send back the `broker_url` that the view shows for an internal broker.
    url: spec.internal === undefined ? url : undefined,
    ...(given === undefined ? {} : { credentials, useServerCertificate }),
    labels: labelsAfter(body, protectedLabels),
  });
}

function labelsAfter(body: JsonObject, protectedLabels: readonly string[]): BrokerChange['labels'] {
  const { labels } = body;
  return labels === undefined || labels === null
    ? undefined
    : current => applyLabelChanges(current, labels, protectedLabels);
}

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
