import { ChandleryError, parseQuantity } from '@chandlery/api';
import { allContainers, type Container, type FieldReference, type Pod, type ResourceReference } from './pod.ts';

/** The resources of a container without limits: those of the machine. */
export interface Machine {
  readonly name: string;
  readonly cpus: number;
  readonly memoryBytes: number;
}

const address = '127.0.0.1';

const formatMap = (map: Readonly<Record<string, string>>): string =>
  Object.entries(map)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort()
    .join('\n');

/** The value of a `fieldRef`. */
export function readField(pod: Pod, { fieldPath }: FieldReference, machine: Machine): string {
  const entry = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(fieldPath);
  if (entry !== null) return (entry[1] === 'labels' ? pod.labels : pod.annotations)[entry[2] ?? ''] ?? '';
  const fields: Readonly<Record<string, string>> = {
    'metadata.name': pod.name,
    'metadata.namespace': pod.namespace,
    'metadata.uid': pod.uid,
    'metadata.labels': formatMap(pod.labels),
    'metadata.annotations': formatMap(pod.annotations),
    'spec.nodeName': pod.spec.nodeName ?? machine.name,
    'spec.serviceAccountName': pod.spec.serviceAccountName ?? 'default',
    'status.hostIP': address,
    'status.hostIPs': address,
    'status.podIP': address,
    'status.podIPs': address,
  };
  const value = fields[fieldPath];
  if (value === undefined) throw configError(`field "${fieldPath}" of a pod cannot be read.`);
  return value;
}

/** The value of a `resourceFieldRef`: the amount divided by the divisor, rounded up. */
export function readResource(pod: Pod, owner: Container, reference: ResourceReference, machine: Machine): string {
  const name = reference.containerName ?? owner.name;
  const container = allContainers(pod.spec).find(candidate => candidate.name === name);
  if (container === undefined) throw configError(`there is no container "${name}" whose resources could be read.`);
  const amount = parseQuantity(amountOf(container, reference.resource, machine)).nanos;
  const written = String(reference.divisor ?? '1');
  const divisor = parseQuantity(written === '0' ? '1' : written).nanos;
  return String((amount + divisor - 1n) / divisor);
}

function amountOf(container: Container, resource: string, machine: Machine): string {
  const [kind = '', ...rest] = resource.split('.');
  const name = rest.join('.');
  const { limits, requests } = container.resources ?? {};
  const written = kind === 'limits' ? limits?.[name] : (requests?.[name] ?? limits?.[name]);
  if (written !== undefined) return String(written);
  if (kind === 'requests') return '0';
  if (name === 'cpu') return String(machine.cpus);
  return name === 'memory' ? String(machine.memoryBytes) : '0';
}

/** The error of a container whose spec cannot be realised. */
export const configError = (message: string): ChandleryError =>
  new ChandleryError('CreateContainerConfigError', message);
