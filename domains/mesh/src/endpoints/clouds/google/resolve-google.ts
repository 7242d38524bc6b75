import type { GoogleResource } from '../../../kinds/clouds/google-resource.ts';
import {
  type CloudMachine,
  type MachineState,
  type Resolution,
  worstState,
} from '../../../model/clouds/cloud-machine.ts';
import { indexOnce } from '../../../model/clouds/tag-index.ts';
import { canonicalIp } from '../../../model/endpoints/canonical-ip.ts';
import {
  type ComputeInstance,
  type GoogleInventory,
  type GroupMember,
  pathOf,
  regionOf,
  zoneOf,
} from './google-inventory.ts';

type Spec = GoogleResource['spec'];

interface Candidate {
  readonly path: string;
  readonly state: MachineState;
}

/** Finds the machines of a resource in what was read of its project. */
export function resolveGoogle(spec: Spec, inventory: GoogleInventory): Resolution {
  const { candidates, missing } = candidatesOf(spec, inventory);
  const keeps = keptOf(spec, inventory);
  return {
    machines: candidates.flatMap(candidate => machineOf(spec, candidate, inventory) ?? []),
    missing,
    ...(keeps && { keeps }),
  };
}

/** What stays of an earlier reading: all of a group that could not be read, and machines of zones that did not respond. */
function keptOf(
  { instanceGroup }: Spec,
  { unreadZones, unreadGroups }: GoogleInventory,
): Resolution['keeps'] | undefined {
  if (instanceGroup !== undefined && unreadGroups.includes(instanceGroup)) return () => true;
  return unreadZones.length === 0 ? undefined : ({ zone = '' }) => unreadZones.includes(zone);
}

function candidatesOf(
  { instances = [], labels, instanceGroup }: Spec,
  inventory: GoogleInventory,
): { readonly candidates: readonly Candidate[]; readonly missing: readonly string[] } {
  if (instanceGroup !== undefined) {
    const members = inventory.groups.get(instanceGroup);
    if (members === undefined) return { candidates: [], missing: [instanceGroup] };
    return {
      candidates: members.map(member => ({ path: pathOf(member.instance ?? ''), state: stateOfMember(member) })),
      missing: [],
    };
  }
  if (labels !== undefined) {
    return {
      candidates: labelsOf(inventory)
        .find(labels)
        .map(path => ({ path, state: 'Running' })),
      missing: [],
    };
  }
  const known = instances.filter(path => inventory.instances.has(path));
  return {
    candidates: known.map(path => ({ path, state: 'Running' })),
    missing: instances.filter(path => !inventory.instances.has(path)).sort(),
  };
}

/** Paths of instances, by their labels. */
const labelsOf = indexOnce<GoogleInventory, string>(({ instances }, index) =>
  instances.forEach(({ labels = {} }, path) => {
    for (const key of Object.keys(labels)) index.add(key, labels[key] ?? '', path);
  }),
);

function machineOf(
  { address }: Spec,
  { path, state }: Candidate,
  inventory: GoogleInventory,
): CloudMachine | undefined {
  const instance = inventory.instances.get(path);
  const ip = instance && canonicalIp(addressOf(instance, address) ?? '');
  if (instance === undefined || ip === undefined) return undefined;
  const zone = zoneOf(path);
  return { id: path, address: ip, state: worstState(stateOf(instance), state), region: regionOf(zone), zone };
}

function addressOf({ networkInterfaces = [] }: ComputeInstance, address: Spec['address']): string | undefined {
  switch (address) {
    case 'private':
      return networkInterfaces.find(({ networkIP }) => networkIP)?.networkIP;
    case 'public':
      return networkInterfaces.flatMap(({ accessConfigs = [] }) => accessConfigs).find(({ natIP }) => natIP)?.natIP;
    case 'ipv6':
      return networkInterfaces
        .flatMap(({ ipv6Address, ipv6AccessConfigs = [] }) => [ipv6Address, ipv6AccessConfigs[0]?.externalIpv6])
        .find(found => found);
  }
}

const instanceStates: Readonly<Record<string, MachineState>> = {
  PROVISIONING: 'Starting',
  STAGING: 'Starting',
  RUNNING: 'Running',
  PENDING_STOP: 'Draining',
  STOPPING: 'Draining',
  SUSPENDING: 'Draining',
  REPAIRING: 'Unhealthy',
};

const stateOf = ({ status = '' }: ComputeInstance): MachineState => instanceStates[status] ?? 'Stopped';

const leaving = ['DELETING', 'ABANDONING', 'STOPPING', 'SUSPENDING', 'RECREATING', 'RESTARTING'];
const arriving = ['CREATING', 'CREATING_WITHOUT_RETRIES', 'STARTING', 'RESUMING', 'VERIFYING'];

function stateOfMember({ currentAction = 'NONE', instanceHealth = [] }: GroupMember): MachineState {
  if (leaving.includes(currentAction)) return 'Draining';
  if (arriving.includes(currentAction)) return 'Starting';
  const healths = instanceHealth.map(({ detailedHealthState }) => detailedHealthState);
  if (healths.some(health => health === 'UNHEALTHY' || health === 'TIMEOUT')) return 'Unhealthy';
  return healths.includes('DRAINING') ? 'Draining' : 'Running';
}
