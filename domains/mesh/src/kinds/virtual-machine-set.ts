import { commonStatus, defineKind, keyedList, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { place, serviceName, servicePorts } from './machine-fields.ts';

const machine = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'What its cloud calls it, such as an Azure resource id. Services name it by this.',
  }),
  addresses: Type.Array(Type.String({ minLength: 2, maxLength: 45 }), {
    maxItems: 1000,
    description: 'IP addresses; a scale set has one for each of its machines.',
  }),
  region: place('Default: that of the set.'),
  zone: place('Default: not known.'),
  state: Type.Enum(['Running', 'Draining', 'Stopped'], {
    default: 'Running',
    description: 'Running takes traffic, Draining finishes what it has, Stopped takes none.',
  }),
  weight: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 1,
    description: 'Its share of the traffic, compared with others of the service.',
  }),
});

const service = Type.Object({
  name: serviceName,
  ports: servicePorts,
  machines: Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
    'x-kubernetes-list-type': 'set',
    description: 'Ids of the machines that serve it, of this or another set of the namespace.',
  }),
  serviceAccount: Type.Optional(
    Type.String({ minLength: 1, maxLength: 253, description: 'As which it runs. Default: not known.' }),
  ),
});

/** Machines outside any cluster, and their services. */
export const virtualMachineSets = defineKind({
  group: 'mesh.chandlery.io',
  version: 'v1alpha1',
  kind: 'VirtualMachineSet',
  shortNames: ['vms'],
  description: 'Machines outside any cluster that serve services of the mesh.',
  spec: Type.Object({
    cloud: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$',
        description: 'Where the machines are, as if it were a cluster. Default: the name of the set.',
      }),
    ),
    region: place('Of machines that name none. Default: not known.'),
    machines: Type.Optional(keyedList(machine, ['id'], 'The machines. Default: those of other sets.')),
    services: Type.Optional(keyedList(service, ['name'], 'What they serve. Default: nothing.')),
  }),
  status: Type.Object({
    ...commonStatus,
    endpoints: Type.Optional(Type.Integer({ description: 'How many endpoints the services of this set have.' })),
  }),
  columns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Endpoints', type: 'integer', jsonPath: '.status.endpoints' },
    { name: 'Cloud', type: 'string', jsonPath: '.spec.cloud', priority: 1 },
    { name: 'Region', type: 'string', jsonPath: '.spec.region', priority: 1 },
    {
      name: 'Message',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
      priority: 1,
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
});

export type VirtualMachineSet = ObjectOf<typeof virtualMachineSets>;
