import { builtIn, withStatus } from './built-in.ts';
import { age, orNone, text, wide } from './columns/columns.ts';
import { firstFew, labelsText } from './columns/format.ts';
import { listAt, numberAt, textAt, valueAt } from './columns/read.ts';
import { list, one } from './message.ts';
import { endpointSubset, serviceSpec, serviceStatus } from './messages/service.ts';

const externalIPs = (service: unknown): readonly string[] => listAt(service, 'spec', 'externalIPs').map(String);

const loadBalancerAddresses = (service: unknown): readonly string[] =>
  listAt(service, 'status', 'loadBalancer', 'ingress').map(entry => textAt(entry, 'ip') || textAt(entry, 'hostname'));

function externalText(service: unknown): string {
  switch (textAt(service, 'spec', 'type')) {
    case 'ExternalName':
      return orNone(textAt(service, 'spec', 'externalName'));
    case 'LoadBalancer': {
      const addresses = [...loadBalancerAddresses(service), ...externalIPs(service)];
      return addresses.length === 0 ? '<pending>' : addresses.join(',');
    }
    default:
      return orNone(externalIPs(service).join(','));
  }
}

function portText(port: unknown): string {
  const node = numberAt(port, 'nodePort');
  const number = numberAt(port, 'port');
  return `${node === 0 ? number : `${number}:${node}`}/${textAt(port, 'protocol') || 'TCP'}`;
}

function clusterIPText(service: unknown): string {
  const [first] = listAt(service, 'spec', 'clusterIPs');
  return orNone(typeof first === 'string' ? first : textAt(service, 'spec', 'clusterIP'));
}

/** How a set of pods is reached. */
export const service = builtIn({
  group: '',
  kind: 'Service',
  allowsCreateOnUpdate: true,
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  scope: 'Namespaced',
  keepsGeneration: false,
  nameRule: 'dns-1035-label',
  description: 'How a set of pods is reached under one name.',
  fields: {
    spec: one(2, serviceSpec, 'How the pods are reached.'),
    status: one(3, serviceStatus, 'What became of the service.'),
  },
  subresources: withStatus,
  selectableFields: ['.spec.clusterIP', '.spec.type'],
  columns: [
    text('Type', object => textAt(object, 'spec', 'type')),
    text('Cluster-IP', clusterIPText),
    text('External-IP', externalText),
    text('Port(s)', object => orNone(listAt(object, 'spec', 'ports').map(portText).join(','))),
    age,
    wide(text('Selector', object => labelsText(valueAt(object, 'spec', 'selector')))),
  ],
});

const hostPort = (ip: string, port: number): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

function subsetAddresses(subset: unknown): readonly string[] {
  const addresses = listAt(subset, 'addresses').map(address => textAt(address, 'ip'));
  const ports = listAt(subset, 'ports').map(port => numberAt(port, 'port'));
  if (ports.length === 0) return addresses;
  return ports.flatMap(port => addresses.map(ip => hostPort(ip, port)));
}

/** The addresses behind a service. */
export const endpoints = builtIn({
  group: '',
  kind: 'Endpoints',
  allowsCreateOnUpdate: true,
  plural: 'endpoints',
  revisionDays: 0,
  singular: 'endpoints',
  shortNames: ['ep'],
  scope: 'Namespaced',
  keepsGeneration: false,
  description: 'The addresses behind a service.',
  fields: { subsets: list(2, endpointSubset, 'The addresses, by their ports.') },
  columns: [text('Endpoints', object => firstFew(listAt(object, 'subsets').flatMap(subsetAddresses), '<none>')), age],
});
