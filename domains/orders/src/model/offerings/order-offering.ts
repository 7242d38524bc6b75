import type { JsonObject } from '@chandlery/api';
import {
  globalTenant,
  type InternalObject,
  type InternalProgress,
  type InternalService,
  sharedPlan,
} from '@chandlery/brokers/kinds';
import { defaultTenant, type Order, type ParameterDefinition, type Service } from '../../kinds/index.ts';
import { isEnded } from '../order-status.ts';
import { instanceUuid, isUuid, parseUrn, urnOf } from '../urns.ts';

/** A service of which orders are possible. */
interface OrderableService {
  readonly id: string;
  readonly spec: Service['spec'];
}

/** What is read of an order. */
interface OrderRecord {
  readonly id: string;
  readonly tenant: string;
  readonly createdAt: string;
  readonly isDeleting: boolean;
  readonly spec: Order['spec'];
  readonly status: NonNullable<Order['status']>;
}

/** The tenant of the service manager for one of orders: what the administrator creates belongs to the landscape. */
export const catalogTenantOf = (tenant: string): string => (tenant === defaultTenant ? globalTenant : tenant);

/** The tenant of orders for one of the service manager. */
export const ordersTenantOf = (tenant: string): string => (tenant === globalTenant ? defaultTenant : tenant);

/** The id of the one plan of a service. */
export const planIdOf = (serviceId: string): string => `${serviceId}.default`;

/** The id of the order that an instance is. */
export const orderIdOf = (instanceId: string): string => (isUuid(instanceId) ? instanceId : instanceUuid(instanceId));

/** The id of the instance that an order is. An order that names an instance whose id does not lead to it is its own. */
export const instanceIdOf = ({ id, spec }: Pick<OrderRecord, 'id' | 'spec'>): string =>
  spec.instance !== undefined && orderIdOf(spec.instance) === id ? spec.instance : id;

/** The services of a tenant as offerings. The older of two of one name has the plain name. */
export function servicesOf(services: readonly OrderableService[]): readonly InternalService[] {
  const taken = new Set<string>();
  return services.map(({ id, spec }) => {
    const plain = offeringNameOf(spec.name ?? id);
    const name = taken.has(plain) ? `${plain}-${id.slice(0, 8)}` : plain;
    taken.add(name);
    return {
      id,
      name,
      description: spec.description || `The service ${spec.name ?? id}.`,
      isBindable: true,
      isPlanUpdateable: false,
      ...(spec.tags === undefined ? {} : { tags: spec.tags }),
      metadata: { displayName: spec.name ?? id, kind: 'Order', service: urnOf('service', id) },
      plans: [
        {
          id: planIdOf(id),
          name: 'default',
          description: 'Everything is decided by parameters.',
          parameters: parametersSchema(spec.parameters ?? []),
          metadata: sharedPlan,
        },
      ],
    };
  });
}

/** Names of offerings are written in commands: in lower case, without blanks. */
const offeringNameOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'service';

const jsonTypes: Readonly<Record<string, JsonObject>> = {
  int: { type: 'integer' },
  float: { type: 'number' },
  bool: { type: 'boolean' },
};

/** The JSON Schema of an order's parameters. */
export function parametersSchema(definitions: readonly ParameterDefinition[]): JsonObject {
  const settable = definitions.filter(({ constant }) => constant !== true);
  const required = settable.filter(isRequired).map(({ name }) => name);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(settable.map(definition => [definition.name, schemaOf(definition)])),
    // Draft 4 has no empty list here.
    ...(required.length === 0 ? {} : { required }),
  };
}

const isRequired = ({ optional, type, default: value }: ParameterDefinition): boolean =>
  optional !== true && value === undefined && type !== 'bool';

const schemaOf = ({ type, description, options }: ParameterDefinition): JsonObject => ({
  ...(jsonTypes[type] ?? { type: 'string' }),
  ...(description === undefined ? {} : { description }),
  ...(options === undefined || options.length === 0 ? {} : { enum: options.map(({ value }) => value) }),
});

/** How far an order is, as an instance: it is there when the service has ended well. */
export function progressOf({ status }: Pick<OrderRecord, 'status'>): InternalProgress {
  const { status: word = 'pending', errorMessage } = status;
  if (!isEnded(word)) return { state: 'in progress', description: `the order is ${word}` };
  if (word === 'succeeded') return { state: 'succeeded' };
  return { state: 'failed', description: errorMessage ?? `the order is ${word}` };
}

/** An order as an instance. */
export function instanceObjectOf(order: OrderRecord): InternalObject {
  const { id, tenant, createdAt, isDeleting, spec, status } = order;
  const serviceId = parseUrn('service', spec.service) ?? '';
  const username = status.orderer || spec.userInfo?.username;
  const instanceId = instanceIdOf(order);
  return {
    id: instanceId,
    serviceId,
    planId: planIdOf(serviceId),
    name: spec.name ?? id,
    tenant: catalogTenantOf(tenant),
    ...(username ? { username } : {}),
    isProvisioned: spec.instance === instanceId,
    createdAt,
    progress: progressOf(order),
    isDeleting,
  };
}

/** The parameters of an order as an instance's. */
export const parametersOf = ({ spec }: Pick<OrderRecord, 'spec'>): JsonObject =>
  Object.fromEntries((spec.parameters ?? []).map(({ name, value }) => [name, value]));

/** The connection details of an order: where its record is, and what the service has returned. */
export function credentialsOf({ id, status }: Pick<OrderRecord, 'id' | 'status'>): JsonObject {
  const urn = urnOf('order', id);
  return {
    order: urn,
    path: `/1/orders/${urn}`,
    status: status.status ?? 'pending',
    ...(status.result === undefined ? {} : { result: status.result as JsonObject }),
  };
}
