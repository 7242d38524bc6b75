import { type ErrorCause, fieldCause, tryParseQuantity, validateDnsLabel } from '@chandlery/api';
import {
  duplicateCauses,
  invalidEach,
  nameCauses,
  notFoundCause,
  optionalNameCauses,
  portCauses,
  validatePortName,
} from './checks.ts';
import type { Container, ContainerPort, EnvVar, ResourceRequirements } from './objects.ts';

/** What a container may refer to. */
export interface ContainerSurroundings {
  readonly volumes: ReadonlySet<string>;
}

/** Everything wrong with one container, apart from its neighbours. */
export function containerCauses(field: string, container: Container, around: ContainerSurroundings): ErrorCause[] {
  return [
    ...nameCauses(`${field}.name`, container.name, validateDnsLabel),
    ...imageCauses(`${field}.image`, container.image ?? ''),
    ...portListCauses(`${field}.ports`, container.ports ?? []),
    ...(container.env ?? []).flatMap((variable, index) => envCauses(`${field}.env[${index}]`, variable)),
    ...mountCauses(field, container, around),
    ...resourceCauses(`${field}.resources`, container.resources ?? {}),
  ];
}

function imageCauses(field: string, image: string): ErrorCause[] {
  if (image === '') return [fieldCause.required(field)];
  return image === image.trim()
    ? []
    : [fieldCause.invalid(field, image, 'must not have leading or trailing whitespace')];
}

function portListCauses(field: string, ports: readonly ContainerPort[]): ErrorCause[] {
  const causes = ports.flatMap((port, index) => [
    ...optionalNameCauses(`${field}[${index}].name`, port.name, validatePortName),
    ...portCauses(`${field}[${index}].containerPort`, port.containerPort),
  ]);
  return [...causes, ...duplicateCauses(ports.map(({ name }, index) => [`${field}[${index}].name`, name] as const))];
}

const envNameRule = "a valid environment variable name must consist only of printable ASCII characters other than '='";
const envSources = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';

function envCauses(field: string, { name, value, valueFrom }: EnvVar): ErrorCause[] {
  const causes = nameCauses(`${field}.name`, name, text => (/^[ -<>-~]+$/.test(text) ? [] : [envNameRule]));
  if (valueFrom === undefined || valueFrom === null) return causes;
  const sources = Object.values(valueFrom).filter(source => source !== undefined && source !== null).length;
  const refuse = (why: string) => causes.push(fieldCause.invalid(`${field}.valueFrom`, '', why));
  if (sources === 0) refuse(`must specify one of: ${envSources}`);
  if (sources > 1) refuse('may not have more than one field specified at a time');
  if (sources > 0 && (value ?? '') !== '') refuse('may not be specified when `value` is not empty');
  return causes;
}

function mountCauses(
  field: string,
  { volumeMounts, volumeDevices }: Container,
  { volumes }: ContainerSurroundings,
): ErrorCause[] {
  const causes: ErrorCause[] = [];
  const paths = new Set<string>();
  const check = (at: string, name: string, pathField: string, path: string) => {
    if (name === '') causes.push(fieldCause.required(`${at}.name`));
    else if (!volumes.has(name)) causes.push(notFoundCause(`${at}.name`, name));
    if (path === '') causes.push(fieldCause.required(`${at}.${pathField}`));
    else if (paths.has(path)) causes.push(fieldCause.invalid(`${at}.${pathField}`, path, 'must be unique'));
    paths.add(path);
  };
  for (const [index, { name, mountPath }] of (volumeMounts ?? []).entries()) {
    check(`${field}.volumeMounts[${index}]`, name, 'mountPath', mountPath);
  }
  for (const [index, { name, devicePath }] of (volumeDevices ?? []).entries()) {
    check(`${field}.volumeDevices[${index}]`, name, 'devicePath', devicePath);
  }
  return causes;
}

function resourceCauses(field: string, { limits, requests }: ResourceRequirements): ErrorCause[] {
  const causes: ErrorCause[] = [];
  for (const [list, amounts] of [
    ['limits', limits],
    ['requests', requests],
  ] as const) {
    for (const [resource, amount] of Object.entries(amounts ?? {})) {
      const isNegative = nanosOf(amount) < 0n;
      const why = isNegative ? ['must be greater than or equal to 0'] : [];
      causes.push(...invalidEach(`${field}.${list}[${resource}]`, String(amount), why));
    }
  }
  for (const [resource, request] of Object.entries(requests ?? {})) {
    const limit = limits?.[resource];
    if (limit === undefined || limit === null || nanosOf(request) <= nanosOf(limit)) continue;
    const why = `must be less than or equal to ${resource} limit of ${limit}`;
    causes.push(fieldCause.invalid(`${field}.requests`, String(request), why));
  }
  return causes;
}

const nanosOf = (amount: string | number): bigint => tryParseQuantity(String(amount))?.nanos ?? 0n;
