import { formatTime } from '@chandlery/api';
import type { Machine } from '../pods/pod-fields.ts';

/** What is known of the machine besides its size. */
export interface MachineFacts {
  /** As Kubernetes names it: `linux`, `darwin`. */
  readonly os: string;
  /** As Kubernetes names it: `amd64`, `arm64`. */
  readonly arch: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly version: string;
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Kubernetes' word for a processor, of Node's. */
export const architectureOf = (nodeArch: string): string => architectures[nodeArch] ?? nodeArch;

/** The labels of the node's object. */
export const nodeLabels = ({ name }: Machine, { os, arch }: MachineFacts): Record<string, string> => ({
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': os,
  'kubernetes.io/arch': arch,
  'clusters.chandlery.io/node': 'process',
});

interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly [field: string]: unknown;
}

/** The status of the node's object. The same input gives the same status, so that nothing is written without need. */
export function describeNode(
  machine: Machine,
  facts: MachineFacts,
  before: { readonly conditions?: readonly NodeCondition[] } | undefined,
  now: Date,
): object {
  const amounts = { cpu: String(machine.cpus), memory: `${Math.floor(machine.memoryBytes / 1024)}Ki`, pods: '250' };
  const states = [
    ['MemoryPressure', 'False', 'ProcessesRun', 'the memory is that of the machine'],
    ['DiskPressure', 'False', 'ProcessesRun', 'the disk is that of the machine'],
    ['PIDPressure', 'False', 'ProcessesRun', 'the processes are those of the machine'],
    ['Ready', 'True', 'ProcessesRun', 'containers run as processes of this machine'],
  ] as const;
  return {
    capacity: amounts,
    allocatable: amounts,
    addresses: [
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: machine.name },
    ],
    conditions: states.map(([type, status, reason, message]) => {
      const known = before?.conditions?.find(condition => condition.type === type && condition.status === status);
      if (known !== undefined) return known;
      const time = formatTime(now);
      return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime: time };
    }),
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: facts.kernelVersion,
      osImage: facts.osImage,
      containerRuntimeVersion: `process://${facts.version}`,
      kubeletVersion: facts.version,
      kubeProxyVersion: '',
      operatingSystem: facts.os,
      architecture: facts.arch,
    },
  };
}
