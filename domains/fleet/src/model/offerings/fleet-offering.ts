import { createHash } from 'node:crypto';
import { badRequest, type JsonObject } from '@chandlery/api';
import {
  type InternalObject,
  type InternalProgress,
  type InternalService,
  type InternalServicePlan,
  sharedPlan,
} from '@chandlery/brokers/kinds';
import { didYouMean } from '@chandlery/platform';
import type { FleetInstance } from '../../kinds/index.ts';
import type { FleetConfiguration, InstanceSize, InstanceType } from '../configuration/configuration.ts';

/** What is read of an instance. */
export interface InstanceRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly isDeleting: boolean;
  readonly spec: FleetInstance['spec'];
  readonly status: NonNullable<FleetInstance['status']>;
}

/** The id of a product as a service. */
export const serviceIdOf = (productId: string): string => `fleet.${productId}`;

/** The id of a plan `<type>.<size>` of a product. */
export const planIdOf = (productId: string, plan: string): string => `${serviceIdOf(productId)}.${plan}`;

/** The plan of a product that an id names; undefined for another product's. */
export function planOfId(productId: string, planId: string): string | undefined {
  const prefix = planIdOf(productId, '');
  return planId.startsWith(prefix) ? planId.slice(prefix.length) : undefined;
}

const maxIdLength = 36;

/** The id of the fleet's instance for an instance of the service manager. It is part of DNS names. */
export const fleetIdOf = (instanceId: string): string =>
  /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(instanceId) && instanceId.length <= maxIdLength
    ? instanceId
    : createHash('sha256').update(instanceId).digest('hex').slice(0, 20);

/** The id of the instance that one of the fleet is. One that names an instance whose id does not lead to it is its own. */
export const instanceIdOf = ({ id, spec }: Pick<InstanceRecord, 'id' | 'spec'>): string =>
  spec.instance !== undefined && fleetIdOf(spec.instance) === id ? spec.instance : id;

/** A product as an offering: its types and sizes are plans. */
export function serviceOf({ product, instanceTypes, providers }: FleetConfiguration): InternalService {
  const parameters = parametersSchema([...providers.keys()]);
  return {
    id: serviceIdOf(product.id),
    name: product.id,
    description: `${product.kind}, run by the fleet.`,
    isBindable: true,
    isPlanUpdateable: false,
    tags: ['fleet'],
    metadata: { displayName: product.kind, kind: 'FleetInstance', product: product.id },
    plans: [...instanceTypes.values()].flatMap(type =>
      [...type.sizes.values()].map(size => planOf(product.id, { type, size, parameters })),
    ),
  };
}

interface PlanParts {
  readonly type: InstanceType;
  readonly size: InstanceSize;
  readonly parameters: JsonObject;
}

const planOf = (productId: string, { type, size, parameters }: PlanParts): InternalServicePlan => ({
  id: planIdOf(productId, `${type.id}.${size.id}`),
  name: `${type.id}.${size.id}`,
  description: `${type.displayName}, size ${size.displayName}.`,
  parameters,
  metadata: sharedPlan,
});

const text = (description: string, more: JsonObject = {}): JsonObject => ({ type: 'string', description, ...more });

const parameterTypes: ReadonlyMap<string, 'string' | 'boolean'> = new Map([
  ['name', 'string'],
  ['cloud_provider', 'string'],
  ['region', 'string'],
  ['multi_az', 'boolean'],
]);

const parametersSchema = (providers: readonly string[]): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  properties: {
    name: text('Unique in the organisation. Default: the name of the instance.'),
    cloud_provider: text('Where it runs.', providers.length === 0 ? {} : { enum: [...providers] }),
    region: text("Default: the provider's default region."),
    multi_az: { type: 'boolean', description: 'Spread over several zones.' },
  },
});

/** Throws `BadRequest` for parameters that an instance of the fleet does not have, or of the wrong type. */
export function checkParameters(parameters: JsonObject): void {
  for (const [name, value] of Object.entries(parameters)) {
    const type = parameterTypes.get(name);
    if (type === undefined)
      throw badRequest(`there is no parameter "${name}"${didYouMean(name, [...parameterTypes.keys()])}`);
    if (typeof value !== type) throw badRequest(`the parameter "${name}" must be a ${type}`);
  }
}

/** How far an instance is. */
export function progressOf({ status, isDeleting }: Pick<InstanceRecord, 'status' | 'isDeleting'>): InternalProgress {
  const { state = 'accepted', failedReason } = status;
  if (isDeleting) return { state: 'in progress', description: 'it is being deleted' };
  switch (state) {
    case 'ready':
    case 'suspending':
    case 'suspended':
      return { state: 'succeeded' };
    case 'failed':
      return { state: 'failed', description: failedReason ?? 'it has failed' };
    default:
      return { state: 'in progress', description: `it is in state ${state}` };
  }
}

/** Whether an instance is on its way out. */
export const isLeaving = ({ status, isDeleting }: Pick<InstanceRecord, 'status' | 'isDeleting'>): boolean =>
  isDeleting || status.state === 'deprovision' || status.state === 'deleting';

/** An instance of the fleet as one of the service manager. */
export function instanceObjectOf(row: InstanceRecord, tenant: string): InternalObject {
  const { id, createdAt, spec } = row;
  const instanceId = instanceIdOf(row);
  return {
    id: instanceId,
    serviceId: serviceIdOf(spec.product),
    planId: spec.plan === undefined ? '' : planIdOf(spec.product, spec.plan),
    name: spec.name ?? id,
    tenant,
    username: spec.owner,
    isProvisioned: spec.instance === instanceId,
    createdAt,
    progress: progressOf(row),
    ...listeningOf(row),
    isDeleting: isLeaving(row),
  };
}

/** An instance takes connections while it is ready. */
function listeningOf({ status }: InstanceRecord): Pick<InternalObject, 'listens'> {
  const { state, clusterId, endpoints = [] } = status;
  if (state !== 'ready' || endpoints.length === 0) return {};
  return { listens: { ...(clusterId && { cluster: clusterId }), endpoints } };
}

const maxNameLength = 32;

/** The name of an instance that was ordered by another name: in lower case, and not longer than names may be. */
export function fleetNameOf(name: string, id: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-');
  const trimmed = plain
    .replace(/^[^a-z]+/, '')
    .slice(0, maxNameLength)
    .replace(/-+$/, '');
  return trimmed || `i-${id.slice(0, 8)}`;
}

/** A name with a part of the id, for an instance whose name is taken. */
export const distinctName = (name: string, id: string): string =>
  `${name.slice(0, maxNameLength - 9).replace(/-+$/, '')}-${id.replaceAll('-', '').slice(0, 8)}`;

/** The address of an instance: with scheme and port as its agent reports them, for the host that is its own. */
function uriOf({ host = '', adminUrl }: InstanceRecord['status']): string {
  const reported = adminUrl !== undefined && URL.canParse(adminUrl) ? new URL(adminUrl) : undefined;
  return reported?.hostname === host ? reported.origin : `https://${host}`;
}

/** The connection details of an instance. */
export function credentialsOf({ id, status }: InstanceRecord, authorityPem: string | undefined): JsonObject {
  const { host = '', routes = [], adminUrl } = status;
  return {
    id,
    host,
    uri: uriOf(status),
    routes: routes.map(({ domain, router }) => ({ domain, router })),
    ...(adminUrl === undefined ? {} : { admin_api_server_url: adminUrl }),
    ...(authorityPem === undefined ? {} : { ca_certificate: authorityPem }),
  };
}
