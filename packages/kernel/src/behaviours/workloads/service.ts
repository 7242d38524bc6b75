import { isIP } from 'node:net';
import { type ErrorCause, fieldCause, type KubeObject, validateDnsLabel, validateDnsSubdomain } from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import {
  duplicateCauses,
  invalidEach,
  isSame,
  labelCauses,
  nameCauses,
  optionalNameCauses,
  portCauses,
  validatePortName,
} from './checks.ts';

interface ServicePort {
  name?: string;
  port: number;
  protocol?: string;
  targetPort?: number | string;
  nodePort?: number;
}

interface ServiceSpec {
  type?: string;
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  externalName?: string;
  externalTrafficPolicy?: string;
  sessionAffinity?: string;
  sessionAffinityConfig?: unknown;
}

interface Service extends KubeObject {
  spec?: ServiceSpec;
  status?: { loadBalancer?: unknown };
}

/**
 * Services. No address is given to them: a logical cluster has no network of its own, so an empty clusterIP stays
 * empty. The network's owner may set it, once.
 */
export const serviceBehaviour: Behaviour = {
  prepareCreate(object) {
    const service = object as Service;
    service.spec ??= { type: 'ClusterIP', sessionAffinity: 'None' };
    alignAddresses(service.spec);
    dropIdleAffinity(service.spec);
    service.status = { loadBalancer: {} };
  },
  prepareUpdate(object, live) {
    const { spec } = object as Service;
    if (spec === undefined || spec === null) return;
    const before = (live as Service).spec ?? {};
    keepAddresses(spec, before);
    alignAddresses(spec);
    dropIdleAffinity(spec);
    if (!reachesOutside(spec)) dropOutsideFields(spec, before);
  },
  validate: object => serviceCauses((object as Service).spec ?? {}),
  validateUpdate: (object, live) => addressChangeCauses((object as Service).spec ?? {}, (live as Service).spec ?? {}),
};

const reachesOutside = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';
const hasAddress = ({ type }: ServiceSpec): boolean => type !== 'ExternalName';

/** The address has an old field and a newer list of which it is the first. */
function alignAddresses(spec: ServiceSpec): void {
  const [first = ''] = spec.clusterIPs ?? [];
  if ((spec.clusterIP ?? '') === '' && first !== '') spec.clusterIP = first;
  else if ((spec.clusterIP ?? '') !== '' && first === '') spec.clusterIPs = [spec.clusterIP ?? ''];
}

/** An update that says nothing about addresses keeps them, as one from a manifest does. */
function keepAddresses(spec: ServiceSpec, before: ServiceSpec): void {
  if (!hasAddress(spec) || !hasAddress(before)) return;
  const isSilent = (spec.clusterIP ?? '') === '' && (spec.clusterIPs ?? []).length === 0;
  if (!isSilent || (before.clusterIP ?? '') === '') return;
  spec.clusterIP = before.clusterIP;
  if (before.clusterIPs !== undefined) spec.clusterIPs = [...before.clusterIPs];
}

function dropIdleAffinity(spec: ServiceSpec): void {
  if (spec.sessionAffinity !== 'ClientIP') delete spec.sessionAffinityConfig;
}

/** What only made sense for the old type goes with it, unless the update insists. */
function dropOutsideFields(spec: ServiceSpec, before: ServiceSpec): void {
  if (!reachesOutside(before)) return;
  const nodePorts = new Set((before.ports ?? []).map(({ nodePort }) => nodePort));
  for (const port of spec.ports ?? []) if (nodePorts.has(port.nodePort)) delete port.nodePort;
  if (spec.externalTrafficPolicy === before.externalTrafficPolicy) delete spec.externalTrafficPolicy;
}

function serviceCauses(spec: ServiceSpec): ErrorCause[] {
  return [
    ...portListCauses(spec),
    ...labelCauses('spec.selector', spec.selector),
    ...addressCauses(spec),
    ...(spec.type === 'ExternalName' ? externalNameCauses(spec) : []),
  ];
}

function portListCauses(spec: ServiceSpec): ErrorCause[] {
  const ports = spec.ports ?? [];
  const needsPorts = spec.type !== 'ExternalName' && spec.clusterIP !== 'None';
  if (ports.length === 0) return needsPorts ? [fieldCause.required('spec.ports')] : [];
  const at = (index: number): string => `spec.ports[${index}]`;
  return [
    ...ports.flatMap((port, index) => onePortCauses(at(index), port, spec, ports.length > 1)),
    ...duplicateCauses(ports.map(({ name }, index) => [`${at(index)}.name`, name] as const)),
    ...duplicateCauses(ports.map(({ port, protocol }, index) => [at(index), `${protocol ?? 'TCP'}/${port}`] as const)),
  ];
}

function onePortCauses(field: string, port: ServicePort, spec: ServiceSpec, isNamed: boolean): ErrorCause[] {
  const checkName = isNamed ? nameCauses : optionalNameCauses;
  const { targetPort } = port;
  const causes = [
    ...checkName(`${field}.name`, port.name, validateDnsLabel),
    ...portCauses(`${field}.port`, port.port),
  ];
  if (typeof targetPort === 'number') causes.push(...portCauses(`${field}.targetPort`, targetPort));
  if (typeof targetPort === 'string')
    causes.push(...invalidEach(`${field}.targetPort`, targetPort, validatePortName(targetPort)));
  if (!reachesOutside(spec) && (port.nodePort ?? 0) !== 0) {
    causes.push(fieldCause.forbidden(`${field}.nodePort`, `may not be used when \`type\` is '${spec.type}'`));
  }
  return causes;
}

const addressRule = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

function addressCauses({ clusterIP, clusterIPs, type }: ServiceSpec): ErrorCause[] {
  const addresses = clusterIPs ?? [];
  const field = 'spec.clusterIPs';
  if (type === 'ExternalName') {
    return addresses.length === 0 ? [] : [fieldCause.forbidden(field, 'may not be set for ExternalName services')];
  }
  if (reachesOutside({ type: type ?? '' }) && clusterIP === 'None') {
    return [fieldCause.invalid(`${field}[0]`, 'None', `may not be set to 'None' for ${type} services`)];
  }
  if ((clusterIP ?? '') !== (addresses[0] ?? '')) {
    return [fieldCause.invalid(field, addresses, 'first value must match `clusterIP`')];
  }
  if (addresses.length === 1 && clusterIP === 'None') return [];
  const wrong = addresses.flatMap((address, index) => (isIP(address) === 0 ? [[address, index] as const] : []));
  return wrong.map(([address, index]) => fieldCause.invalid(`${field}[${index}]`, address, addressRule));
}

function externalNameCauses({ externalName }: ServiceSpec): ErrorCause[] {
  return nameCauses('spec.externalName', externalName, name =>
    validateDnsSubdomain(name.replace(/\.$/, '').toLowerCase()),
  );
}

function addressChangeCauses(spec: ServiceSpec, before: ServiceSpec): ErrorCause[] {
  if (!hasAddress(spec) || !hasAddress(before) || (before.clusterIP ?? '') === '') return [];
  if (isSame(spec.clusterIP, before.clusterIP)) return [];
  return [fieldCause.invalid('spec.clusterIPs[0]', spec.clusterIPs ?? [], 'may not change once set')];
}
