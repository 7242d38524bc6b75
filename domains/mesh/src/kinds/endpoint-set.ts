import { commonStatus, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { machineState, place, serviceName } from './machine-fields.ts';

/** More endpoints of a service are in further sets. */
export const maxEndpointsInSet = 1000;
/** Why a set is old, in characters. */
export const maxReasonLength = 1024;

const endpoint = Type.Object({
  ip: Type.String({ minLength: 2, maxLength: 45, description: 'A literal IPv4 or IPv6 address.' }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, description: 'Where the machine listens.' }),
  portName: Type.String({
    default: '',
    maxLength: 63,
    description: "Of the service's port. Default: the unnamed one.",
  }),
  state: machineState,
  region: place('Default: that of the set.'),
  zone: place('Default: not known.'),
  weight: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 1,
    description: 'Its share of the traffic, compared with others of the service.',
  }),
  source: Type.Optional(
    Type.String({
      maxLength: 1024,
      description: 'Id of the machine in the inventory, for display. Default: not known.',
    }),
  ),
});

/** Endpoints of a service that an inventory outside of the mesh maintains, with a lease that it renews. */
export const endpointSets = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'EndpointSet',
  shortNames: ['eps'],
  description:
    'Endpoints of a service of the namespace, maintained by an inventory. Several sets of a service are merged.',
  spec: Type.Object({
    service: serviceName,
    serviceAccount: Type.Optional(
      Type.String({ minLength: 1, maxLength: 253, description: 'As which it runs. Default: not known.' }),
    ),
    cloud: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$',
        description: 'Where the endpoints are, as if it were a cluster. Default: the name of the set.',
      }),
    ),
    region: place('Of endpoints that name none. Default: not known.'),
    endpoints: Type.Array(endpoint, {
      maxItems: maxEndpointsInSet,
      'x-kubernetes-list-type': 'atomic',
      description: 'All endpoints of the set.',
    }),
    lease: Type.Optional(
      Type.Object(
        {
          renewTime: Type.String({ format: 'date-time', description: 'When the inventory confirmed the set last.' }),
          durationSeconds: Type.Integer({
            minimum: 5,
            maximum: 604_800,
            description: 'The endpoints are removed when the set is not renewed for so long.',
          }),
        },
        { description: 'Default: none, the endpoints are kept until the set is deleted.' },
      ),
    ),
    stale: Type.Optional(
      Type.Object(
        {
          since: Type.String({ format: 'date-time', description: 'When the inventory was read last.' }),
          reason: Type.String({ maxLength: maxReasonLength, description: 'Why it cannot be read.' }),
        },
        { description: 'The endpoints may be old, because the inventory cannot be read. Default: they are not.' },
      ),
    ),
  }),
  status: Type.Object({
    ...commonStatus,
    endpoints: Type.Optional(Type.Integer({ description: 'How many endpoints proxies may get of this set.' })),
  }),
  columns: [
    { name: 'Service', type: 'string', jsonPath: '.spec.service' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Endpoints', type: 'integer', jsonPath: '.status.endpoints' },
    { name: 'Cloud', type: 'string', jsonPath: '.spec.cloud', priority: 1 },
    { name: 'Renewed', type: 'string', jsonPath: '.spec.lease.renewTime', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type EndpointSet = ObjectOf<typeof endpointSets>;
