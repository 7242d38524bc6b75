import { isIP, isIPv4, isIPv6 } from 'node:net';
import { type ErrorCause, fieldCause, type KubeObject, validateDnsLabel, validateDnsSubdomain } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import { immutableCauses, nameCauses, optionalNameCauses, portCauses } from './checks.ts';

interface EndpointPort {
  name?: string;
  port?: number;
}

interface EndpointAddress {
  ip: string;
  hostname?: string;
}

interface Endpoints extends KubeObject {
  subsets?: { addresses?: EndpointAddress[]; notReadyAddresses?: EndpointAddress[]; ports?: EndpointPort[] }[];
}

interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints?: { addresses?: string[]; hostname?: string; nodeName?: string }[];
  ports?: EndpointPort[];
}

const addressRule = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Endpoints. Loopback addresses are fine: a local cluster's pods are processes of this machine. */
export const endpointsBehaviour: Behaviour = {
  validate(object) {
    const subsets = (object as Endpoints).subsets ?? [];
    return subsets.flatMap(({ addresses, notReadyAddresses, ports }, index) => {
      const field = `subsets[${index}]`;
      const isEmpty = (addresses ?? []).length + (notReadyAddresses ?? []).length === 0;
      return [
        ...(isEmpty ? [fieldCause.required(field, 'must specify `addresses` or `notReadyAddresses`')] : []),
        ...addressListCauses(`${field}.addresses`, addresses ?? []),
        ...addressListCauses(`${field}.notReadyAddresses`, notReadyAddresses ?? []),
        ...subsetPortCauses(`${field}.ports`, ports ?? []),
      ];
    });
  },
};

const addressListCauses = (field: string, addresses: readonly EndpointAddress[]): ErrorCause[] =>
  addresses.flatMap(({ ip, hostname }, index) => [
    ...(isIP(ip) === 0 ? [fieldCause.invalid(`${field}[${index}].ip`, ip, addressRule)] : []),
    ...optionalNameCauses(`${field}[${index}].hostname`, hostname, validateDnsLabel),
  ]);

const subsetPortCauses = (field: string, ports: readonly EndpointPort[]): ErrorCause[] =>
  ports.flatMap(({ name, port }, index) => [
    ...(ports.length > 1 ? nameCauses : optionalNameCauses)(`${field}[${index}].name`, name, validateDnsLabel),
    ...portCauses(`${field}[${index}].port`, port ?? 0),
  ]);

const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 20_000;

/** Slices hold endpoints of one kind of address, and not too many. */
export const endpointSliceBehaviour: Behaviour = {
  validate(object) {
    const { endpoints, ports, addressType } = object as EndpointSlice;
    if ((endpoints ?? []).length > maxEndpoints) {
      return [fieldCause.tooMany('endpoints', (endpoints ?? []).length, maxEndpoints)];
    }
    return [...endpointCauses(endpoints ?? [], addressType), ...slicePortCauses(ports ?? [])];
  },
  validateUpdate(object, live) {
    const [slice, before] = [object as EndpointSlice, live as EndpointSlice];
    return immutableCauses('addressType', slice.addressType, before.addressType);
  },
};

const endpointCauses = (endpoints: NonNullable<EndpointSlice['endpoints']>, type: string): ErrorCause[] =>
  endpoints.flatMap(({ addresses, hostname, nodeName }, index) => [
    ...sliceAddressCauses(`endpoints[${index}].addresses`, addresses ?? [], type),
    ...optionalNameCauses(`endpoints[${index}].hostname`, hostname, validateDnsLabel),
    ...optionalNameCauses(`endpoints[${index}].nodeName`, nodeName, validateDnsSubdomain),
  ]);

function sliceAddressCauses(field: string, addresses: readonly string[], type: string): ErrorCause[] {
  if (addresses.length === 0) return [fieldCause.required(field, 'must contain at least 1 address')];
  if (addresses.length > maxAddresses) return [fieldCause.tooMany(field, addresses.length, maxAddresses)];
  return addresses.flatMap((address, index) => {
    const problem = findAddressProblem(address, type);
    return problem === undefined ? [] : [fieldCause.invalid(`${field}[${index}]`, address, problem)];
  });
}

function findAddressProblem(address: string, type: string): string | undefined {
  switch (type) {
    case 'IPv4':
      return isIPv4(address) ? undefined : 'must be a valid IPv4 address';
    case 'IPv6':
      return isIPv6(address) ? undefined : 'must be a valid IPv6 address';
    case 'FQDN':
      return findDomainProblem(address.replace(/\.$/, ''));
    default:
      return undefined;
  }
}

function findDomainProblem(domain: string): string | undefined {
  const [problem] = validateDnsSubdomain(domain);
  if (problem !== undefined || domain.includes('.')) return problem;
  return 'should be a domain with at least two segments separated by dots';
}

function slicePortCauses(ports: readonly EndpointPort[]): ErrorCause[] {
  if (ports.length > maxPorts) return [fieldCause.tooMany('ports', ports.length, maxPorts)];
  const causes = ports.flatMap(({ name, port }, index) => [
    ...optionalNameCauses(`ports[${index}].name`, name, validateDnsLabel),
    ...(port === undefined || port === null ? [] : portCauses(`ports[${index}].port`, port)),
  ]);
  const seen = new Set<string>();
  for (const [index, { name }] of ports.entries()) {
    // Other than elsewhere, having no name is a name: at most one port may go without.
    if (seen.has(name ?? '')) causes.push(fieldCause.duplicate(`ports[${index}].name`, name ?? ''));
    seen.add(name ?? '');
  }
  return causes;
}
