import {
  type ErrorCause,
  fieldCause,
  validateDnsLabel,
  validateDnsSubdomain,
  validateQualifiedName,
} from '@chandlery/api';
import { duplicateCauses, labelCauses, nameCauses, optionalNameCauses } from './checks.ts';
import { containerCauses } from './container-rules.ts';
import type { Container, PodSpec, Toleration } from './objects.ts';

/** What differs between the places that a pod's spec stands in. */
export interface PodPlace {
  /** False in templates. Default true. */
  readonly isPod?: boolean;
  /** Volumes that will be there though the spec does not name them (claims of stateful sets). Default none. */
  readonly furtherVolumes?: readonly string[];
}

/** Lists of containers in the order in which their names are compared. */
export const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Everything wrong with what a pod is to be. */
export function podSpecCauses(field: string, spec: PodSpec, place: PodPlace = {}): ErrorCause[] {
  return [
    ...volumeCauses(`${field}.volumes`, spec),
    ...containersCauses(field, spec, place),
    ...hostPortCauses(field, spec, place),
    ...namesCauses(field, spec),
    ...(spec.tolerations ?? []).flatMap((item, index) => tolerationCauses(`${field}.tolerations[${index}]`, item)),
    ...gateCauses(field, spec),
  ];
}

function volumeCauses(field: string, { volumes }: PodSpec): ErrorCause[] {
  const causes = (volumes ?? []).flatMap(({ name, ...sources }, index) => {
    const present = Object.keys(sources).filter(source => sources[source] !== undefined && sources[source] !== null);
    const further = present.slice(1).map(source => {
      return fieldCause.forbidden(`${field}[${index}].${source}`, 'may not specify more than 1 volume type');
    });
    return [...nameCauses(`${field}[${index}].name`, name, validateDnsLabel), ...further];
  });
  const names = (volumes ?? []).map(({ name }, index) => [`${field}[${index}].name`, name] as const);
  return [...causes, ...duplicateCauses(names)];
}

function containersCauses(field: string, spec: PodSpec, { furtherVolumes = [] }: PodPlace): ErrorCause[] {
  const volumes = new Set([...(spec.volumes ?? []).map(({ name }) => name), ...furtherVolumes]);
  const placed = placedContainers(field, spec);
  const causes = placed.flatMap(([at, container]) => containerCauses(at, container, { volumes }));
  if ((spec.containers ?? []).length === 0) causes.push(fieldCause.required(`${field}.containers`));
  return [...causes, ...duplicateCauses(placed.map(([at, { name }]) => [`${at}.name`, name] as const))];
}

const placedContainers = (field: string, spec: PodSpec): (readonly [string, Container])[] =>
  containerLists.flatMap(list =>
    (spec[list] ?? []).map((item, index) => [`${field}.${list}[${index}]`, item] as const),
  );

/** On the node's network a port is the node's port; and no two containers can have the same one. */
function hostPortCauses(field: string, spec: PodSpec, { isPod = true }: PodPlace): ErrorCause[] {
  const causes: ErrorCause[] = [];
  const taken: (readonly [string, string])[] = [];
  for (const [index, container] of (spec.containers ?? []).entries()) {
    for (const [portIndex, port] of (container.ports ?? []).entries()) {
      const at = `${field}.containers[${index}].ports[${portIndex}].hostPort`;
      const hostPort = port.hostPort ?? 0;
      if (spec.hostNetwork === true && (isPod || hostPort !== 0) && hostPort !== port.containerPort) {
        causes.push(fieldCause.invalid(at, hostPort, 'must match `containerPort` when `hostNetwork` is true'));
      }
      if (hostPort !== 0) taken.push([at, `${port.protocol ?? 'TCP'}/${port.hostIP ?? ''}/${hostPort}`]);
    }
  }
  return [...causes, ...duplicateCauses(taken)];
}

const namesCauses = (field: string, spec: PodSpec): ErrorCause[] => [
  ...optionalNameCauses(`${field}.nodeName`, spec.nodeName, validateDnsSubdomain),
  ...optionalNameCauses(`${field}.serviceAccountName`, spec.serviceAccountName, validateDnsSubdomain),
  ...optionalNameCauses(`${field}.hostname`, spec.hostname, validateDnsLabel),
  ...optionalNameCauses(`${field}.subdomain`, spec.subdomain, validateDnsLabel),
  ...labelCauses(`${field}.nodeSelector`, spec.nodeSelector),
];

function tolerationCauses(
  field: string,
  { key, operator, value, effect, tolerationSeconds }: Toleration,
): ErrorCause[] {
  const causes = optionalNameCauses(`${field}.key`, key, validateQualifiedName);
  const invalid = (name: string, shown: unknown, why: string) =>
    causes.push(fieldCause.invalid(`${field}.${name}`, shown, why));
  if ((key ?? '') === '' && operator !== 'Exists') {
    invalid(
      'operator',
      operator ?? '',
      'operator must be Exists when `key` is empty, which means "match all values and all keys"',
    );
  }
  if (operator === 'Exists' && (value ?? '') !== '')
    invalid('operator', value, "value must be empty when `operator` is 'Exists'");
  if (tolerationSeconds !== undefined && tolerationSeconds !== null && effect !== 'NoExecute') {
    invalid('effect', effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  return causes;
}

function gateCauses(field: string, { schedulingGates, nodeName }: PodSpec): ErrorCause[] {
  const gates = schedulingGates ?? [];
  const at = (index: number): string => `${field}.schedulingGates[${index}]`;
  const causes = gates.flatMap(({ name }, index) => nameCauses(at(index), name, validateQualifiedName));
  if (gates.length > 0 && (nodeName ?? '') !== '') {
    causes.push(fieldCause.forbidden(`${field}.nodeName`, 'cannot be set until all schedulingGates have been cleared'));
  }
  return [...causes, ...duplicateCauses(gates.map(({ name }, index) => [at(index), name] as const))];
}
