import { isIP } from 'node:net';
import type { JsonObject } from '@chandlery/api';
import type { InternalObject, InternalProgress, InternalService, ListeningEndpoint } from '@chandlery/brokers/kinds';
import type { Service } from '../../kinds/index.ts';
import type { HostedState } from '../../order-ports.ts';
import { urnOf } from '../urns.ts';
import { catalogTenantOf } from './order-offering.ts';

/** What a service that runs all the time is: a process that takes jobs or requests, or a web site. */
export type HostedType = 'jobs' | 'requests' | 'site';

/** A service that runs all the time. It is an instance itself, and cannot be ordered. */
export interface HostedRecord {
  readonly id: string;
  readonly tenant: string;
  readonly createdAt: string;
  readonly isDeleting: boolean;
  readonly spec: Service['spec'];
  readonly type: HostedType;
}

/** Where a hosted service is reached, or why it is not. */
export type HostedPlace =
  | { readonly endpoint: ListeningEndpoint | undefined; readonly problem?: undefined }
  | { readonly endpoint?: undefined; readonly problem: string };

interface HostedOffering {
  readonly name: string;
  readonly description: string;
}

const offerings: Readonly<Record<HostedType, HostedOffering>> = {
  jobs: { name: 'job-server', description: 'Services whose processes take jobs.' },
  requests: { name: 'web-server', description: 'Services whose processes are reached through a link.' },
  site: { name: 'site', description: 'Services that are web sites.' },
};

/** What ids of offerings of hosted services begin with. */
export const hostedPrefix = 'hosted.';

/** Ids are unique in the landscape, and each tenant has offerings of its own. */
const serviceIdOf = (tenant: string, type: HostedType): string => `${hostedPrefix}${tenant}.${offerings[type].name}`;

const planIdOf = (tenant: string, type: HostedType): string => `${serviceIdOf(tenant, type)}.default`;

/** The offerings whose instances are the hosted services of a tenant. They take a name that no service of the tenant has. */
export function hostedServicesOf(
  tenant: string,
  { types, taken }: { readonly types: ReadonlySet<HostedType>; readonly taken: ReadonlySet<string> },
): readonly InternalService[] {
  return [...types].sort().map(type => {
    const { name, description } = offerings[type];
    return {
      id: serviceIdOf(tenant, type),
      name: freeName(name, taken),
      description: `${description} Create one with \`service apply\`.`,
      isBindable: true,
      isPlanUpdateable: false,
      metadata: { displayName: name, kind: 'Service' },
      plans: [
        {
          id: planIdOf(tenant, type),
          name: 'default',
          description: 'Everything is decided by the service.',
          isOrderable: false,
        },
      ],
    };
  });
}

const freeName = (name: string, taken: ReadonlySet<string>): string =>
  taken.has(name) ? freeName(`hosted-${name}`, taken) : name;

/** Where a process is reached. */
export const placeOfProcess = ({ endpoint, ...state }: HostedState): HostedPlace =>
  endpoint === undefined
    ? { problem: 'problem' in state ? state.problem : '' }
    : { endpoint: { address: endpoint.host, port: endpoint.port, name: 'http' } };

/** How far a hosted service is, as an instance: it is there while it is reached. */
export const progressOfHosted = ({ problem }: HostedPlace): InternalProgress =>
  problem === undefined ? { state: 'succeeded' } : { state: 'in progress', description: problem };

/** A hosted service as an instance: a service of meshes while it takes connections. */
export function hostedObjectOf(record: HostedRecord, place: HostedPlace): InternalObject {
  const { id, createdAt, isDeleting, spec, type } = record;
  const tenant = catalogTenantOf(record.tenant);
  const { endpoint } = place;
  const serviceAccount = spec.controller?.['service-account'];
  return {
    id,
    serviceId: serviceIdOf(tenant, type),
    planId: planIdOf(tenant, type),
    name: spec.name ?? id,
    tenant,
    isProvisioned: false,
    createdAt,
    progress: progressOfHosted(place),
    ...(endpoint !== undefined &&
      isIP(endpoint.address) !== 0 && {
        listens: { ...(typeof serviceAccount === 'string' && { serviceAccount }), endpoints: [endpoint] },
      }),
    isDeleting,
  };
}

/** The connection details of a hosted service: its link, and where workloads of a mesh call it. */
export function hostedCredentials({ id, type }: HostedRecord, { endpoint, host }: HostedAddress): JsonObject {
  const service = urnOf('service', id);
  if (type === 'site') return { service, host, uri: `https://${host}` };
  const path = `/1/services2/${service}/${type === 'jobs' ? 'jobs' : 'proxy/'}`;
  return endpoint === undefined
    ? { service, path }
    : { service, path, host: endpoint.address, port: endpoint.port, uri: uriOf(endpoint) };
}

interface HostedAddress {
  readonly endpoint: ListeningEndpoint | undefined;
  /** The host name of a site. */
  readonly host: string;
}

const uriOf = ({ address, port }: ListeningEndpoint): string =>
  `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
