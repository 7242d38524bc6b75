import { smError } from '../errors.ts';
import { withoutUndefined } from '../model/json.ts';
import type { BrokerRow } from '../model/rows.ts';
import type { BrokerChange, BrokerRegistration } from './broker-action-types.ts';

type Spec = BrokerRow['spec'];

/** The spec of a broker that is to be made. */
export function specOfRegistration(registration: BrokerRegistration, credentialsSecret: string | undefined): Spec {
  const {
    tenant: _tenant,
    id: _id,
    credentials: _credentials,
    correlationId: _correlationId,
    labels,
    ...fields
  } = registration;
  return withoutUndefined({ ...fields, labels: copyOf(labels), credentialsSecret });
}

/** The spec of a broker after a change. Throws `BadRequest` when credentials would be sent to another place. */
export function changedSpec(current: Spec, change: BrokerChange, ownSecret: string): Spec {
  const { correlationId: _correlationId, before: _before, credentials, labels, ...fields } = change;
  if (change.url !== undefined && change.url !== current.url && credentials === undefined)
    throw smError('BadRequest', 'a new broker_url needs the credentials to go with it', { field: 'credentials' });
  const given = Object.entries({ ...fields, labels: newLabels(current, labels) }).filter(
    ([, value]) => value !== undefined,
  );
  const merged = { ...current, ...Object.fromEntries(given), ...(credentials && { credentialsSecret: ownSecret }) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

function newLabels(current: Spec, labels: BrokerChange['labels']): Spec['labels'] {
  return copyOf(typeof labels === 'function' ? labels(current.labels ?? {}) : labels);
}

const copyOf = (labels: Readonly<Record<string, readonly string[]>> | undefined): Spec['labels'] =>
  labels && Object.fromEntries(Object.entries(labels).map(([key, values]) => [key, [...values]]));
