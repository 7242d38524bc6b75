import type { AwsResource } from '../../../kinds/clouds/aws-resource.ts';
import {
  type CloudMachine,
  type MachineState,
  type Resolution,
  worstState,
} from '../../../model/clouds/cloud-machine.ts';
import { indexOnce } from '../../../model/clouds/tag-index.ts';
import { canonicalIp } from '../../../model/endpoints/canonical-ip.ts';
import type { AwsInstance, AwsInventory, AwsMember, AwsTarget } from './aws-inventory.ts';

type Spec = AwsResource['spec'];

/** An instance or address that a resource names, with what its group says of it. */
interface Candidate {
  readonly id: string;
  readonly state: MachineState;
  readonly zone?: string | undefined;
}

/** Finds the machines of a resource in what was read of its account. */
export function resolveAws(spec: Spec, inventory: AwsInventory): Resolution {
  const { candidates, missing } = candidatesOf(spec, inventory);
  const { unreadRegions } = inventory;
  return {
    machines: candidates.flatMap(candidate => machineOf(spec, candidate, inventory) ?? []),
    missing,
    ...(unreadRegions.length > 0 && { keeps: ({ region = '' }) => unreadRegions.includes(region) }),
  };
}

function candidatesOf(
  { instances = [], tags, autoScalingGroup, targetGroup, ports }: Spec,
  inventory: AwsInventory,
): { readonly candidates: readonly Candidate[]; readonly missing: readonly string[] } {
  if (autoScalingGroup !== undefined) {
    const members = inventory.groups.get(autoScalingGroup);
    if (members === undefined) return { candidates: [], missing: [autoScalingGroup] };
    return { candidates: members.map(member => ({ id: member.id, state: stateOfMember(member) })), missing: [] };
  }
  if (targetGroup !== undefined) {
    const targets = inventory.targetGroups.get(targetGroup);
    if (targets === undefined) return { candidates: [], missing: [targetGroup] };
    const byId = Map.groupBy(targets, ({ id }) => id);
    return { candidates: [...byId.values()].flatMap(own => candidateOf(own, ports)), missing: [] };
  }
  if (tags !== undefined) {
    return {
      candidates: tagsOf(inventory)
        .find(tags)
        .map(id => ({ id, state: 'Running' })),
      missing: [],
    };
  }
  const known = instances.filter(id => inventory.instances.has(id));
  return {
    candidates: known.map(id => ({ id, state: 'Running' })),
    missing: instances.filter(id => !inventory.instances.has(id)).sort(),
  };
}

/** A target may be registered with several ports: those that are served decide, if there are any. */
function candidateOf(own: readonly AwsTarget[], ports: Spec['ports']): readonly Candidate[] {
  const served = own.filter(target => ports.some(({ port }) => port === target.port));
  const [first] = own;
  if (first === undefined) return [];
  const states = (served.length > 0 ? served : own).map(({ state }) => stateOfTarget(state));
  return [{ id: first.id, zone: first.zone, state: worstState(...states) }];
}

/** Ids of instances, by their tags. */
const tagsOf = indexOnce<AwsInventory, string>(({ instances }, index) =>
  instances.forEach(({ tags }, id) => {
    for (const [key, value] of tags) index.add(key, value, id);
  }),
);

/** A group may still have a member whose instance was removed; a target may be an address without an instance. */
function machineOf(spec: Spec, { id, state, zone }: Candidate, inventory: AwsInventory): CloudMachine | undefined {
  const ip = canonicalIp(id);
  if (ip !== undefined)
    return {
      id,
      address: ip,
      state,
      region: regionOf(spec.targetGroup ?? ''),
      ...(zone && zone !== 'all' && { zone }),
    };
  const instance = inventory.instances.get(id);
  const address = instance && canonicalIp(addressOf(instance, spec.address) ?? '');
  if (instance === undefined || address === undefined) return undefined;
  const health = inventory.impaired.has(id) ? 'Unhealthy' : 'Running';
  return {
    ...{ id, address, region: instance.region },
    state: worstState(stateOfInstance(instance.state), health, state),
    ...(instance.zone && { zone: instance.zone }),
  };
}

function addressOf(instance: AwsInstance, address: Spec['address']): string | undefined {
  switch (address) {
    case 'private':
      return instance.privateIp;
    case 'public':
      return instance.publicIp;
    case 'ipv6':
      return instance.ipv6;
  }
}

/** The region in the ARN of a target group. */
export const regionOf = (arn: string): string => arn.split(':')[3] ?? '';

/** A machine that shuts down completes what it has, as far as it can. */
const instanceStates: Readonly<Record<string, MachineState>> = {
  pending: 'Starting',
  running: 'Running',
  'shutting-down': 'Draining',
  stopping: 'Draining',
};

const stateOfInstance = (state: string): MachineState => instanceStates[state] ?? 'Stopped';

/** Targets that the load balancer does not check (`unused`, `unavailable`) are judged by their instance alone. */
const targetStates: Readonly<Record<string, MachineState>> = {
  initial: 'Starting',
  healthy: 'Running',
  unused: 'Running',
  unavailable: 'Running',
  draining: 'Draining',
  'unhealthy.draining': 'Draining',
};

const stateOfTarget = (state: AwsTarget['state']): MachineState => targetStates[state] ?? 'Unhealthy';

const drainingPhases = ['Terminating', 'Detaching', 'EnteringStandby'];

function stateOfMember({ lifecycle, health }: AwsMember): MachineState {
  const own = stateOfLifecycle(lifecycle);
  return own === 'Running' && health === 'Unhealthy' ? 'Unhealthy' : own;
}

function stateOfLifecycle(lifecycle: string): MachineState {
  if (lifecycle === 'InService') return 'Running';
  if (lifecycle.startsWith('Pending')) return 'Starting';
  return drainingPhases.some(phase => lifecycle.startsWith(phase)) ? 'Draining' : 'Stopped';
}
