import { isIP } from 'node:net';
import {
  type ErrorCause,
  fieldCause,
  type KubeObject,
  validateDns1035Label,
  validateDnsSubdomain,
} from '@chandlery/api';
import type { Behaviour } from '../behaviour.ts';
import { invalidEach, nameCauses } from './checks.ts';

interface Backend {
  service?: { name?: string; port?: { name?: string; number?: number } };
  resource?: unknown;
}

interface IngressPath {
  path?: string;
  pathType?: string;
  backend?: Backend;
}

interface IngressSpec {
  defaultBackend?: Backend;
  rules?: { host?: string; http?: { paths?: IngressPath[] } }[];
}

/** Ingresses lead hosts and paths to services. */
export const ingressBehaviour: Behaviour = {
  prepareCreate(object) {
    object['status'] = { loadBalancer: {} };
  },
  validate(object: KubeObject) {
    const { defaultBackend, rules } = (object['spec'] ?? {}) as IngressSpec;
    const hasDefault = defaultBackend !== undefined && defaultBackend !== null;
    if (!hasDefault && (rules ?? []).length === 0) {
      return [
        fieldCause.invalid('spec', object['spec'] ?? null, 'either `defaultBackend` or `rules` must be specified'),
      ];
    }
    return [
      ...(hasDefault ? backendCauses('spec.defaultBackend', defaultBackend) : []),
      ...(rules ?? []).flatMap(({ host, http }, index) => [
        ...hostCauses(`spec.rules[${index}].host`, host ?? ''),
        ...(http?.paths ?? []).flatMap((path, at) => pathCauses(`spec.rules[${index}].http.paths[${at}]`, path)),
      ]),
    ];
  },
};

function hostCauses(field: string, host: string): ErrorCause[] {
  if (host === '') return [];
  if (isIP(host) !== 0) return [fieldCause.invalid(field, host, 'must be a DNS name, not an IP address')];
  return invalidEach(field, host, validateDnsSubdomain(host.replace(/^\*\./, '')));
}

function pathCauses(field: string, { path, pathType, backend }: IngressPath): ErrorCause[] {
  const causes = backendCauses(`${field}.backend`, backend ?? {});
  const mayBeEmpty = pathType === 'ImplementationSpecific' && (path ?? '') === '';
  if (!mayBeEmpty && !(path ?? '').startsWith('/')) {
    causes.push(fieldCause.invalid(`${field}.path`, path ?? '', 'must be an absolute path'));
  }
  return causes;
}

function backendCauses(field: string, { service, resource }: Backend): ErrorCause[] {
  const hasResource = resource !== undefined && resource !== null;
  if (service === undefined || service === null) {
    return hasResource ? [] : [fieldCause.required(field, 'resource or service backend is required')];
  }
  if (hasResource) return [fieldCause.invalid(field, '', 'cannot set both resource and service backends')];
  const hasName = (service.port?.name ?? '') !== '';
  const hasNumber = (service.port?.number ?? 0) !== 0;
  const causes = nameCauses(`${field}.service.name`, service.name, validateDns1035Label);
  if (!hasName && !hasNumber)
    causes.push(fieldCause.required(`${field}.service.port`, 'port name or number is required'));
  if (hasName && hasNumber)
    causes.push(fieldCause.invalid(`${field}.service.port`, '', 'cannot set both port name & port number'));
  return causes;
}
