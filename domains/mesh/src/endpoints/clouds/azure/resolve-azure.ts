import type { AzureResource } from '../../../kinds/clouds/azure-resource.ts';
import {
  type CloudMachine,
  type MachineState,
  type Resolution,
  worstState,
} from '../../../model/clouds/cloud-machine.ts';
import { canonicalIp } from '../../../model/endpoints/canonical-ip.ts';
import { type AzureInventory, type AzureMachine, keyOfId } from './azure-inventory.ts';

type Spec = AzureResource['spec'];

/** Finds the machines of a resource in what was read of its subscription. */
export function resolveAzure(spec: Spec, inventory: AzureInventory): Resolution {
  const { ids, tags = {}, resourceGroup } = spec;
  if (ids !== undefined) {
    const wanted = new Set(ids.map(keyOfId));
    const found = inventory.machines.filter(({ key, scaleSet = '' }) => wanted.has(key) || wanted.has(scaleSet));
    const known = new Set([...inventory.machines.map(({ key }) => key), ...inventory.scaleSets.keys()]);
    const missing = ids.filter(id => !known.has(keyOfId(id))).sort();
    return { machines: found.flatMap(machine => machineOf(spec, machine) ?? []), missing };
  }
  const wanted = Object.entries(tags);
  const isTagged = (own: Readonly<Record<string, string>>): boolean =>
    wanted.every(([key, value]) => own[key] === value);
  const isInGroup = (id: string): boolean => resourceGroup === undefined || groupOf(id) === resourceGroup.toLowerCase();
  const found = inventory.machines.filter(
    ({ key, tags: own, scaleSet }) =>
      isInGroup(key) && (isTagged(own) || isTagged(inventory.scaleSets.get(scaleSet ?? '') ?? {})),
  );
  return { machines: found.flatMap(machine => machineOf(spec, machine) ?? []), missing: [] };
}

/** The resource group in an id in lower case. */
const groupOf = (id: string): string | undefined => /\/resourcegroups\/([^/]+)\//.exec(id)?.[1];

function machineOf({ address }: Spec, machine: AzureMachine): CloudMachine | undefined {
  const ip = canonicalIp(addressOf(machine, address) ?? '');
  if (ip === undefined) return undefined;
  const { id, region, zone } = machine;
  return { id, address: ip, state: stateOf(machine), region, ...(zone && { zone }) };
}

function addressOf({ privateIp, publicIp, ipv6 }: AzureMachine, address: Spec['address']): string | undefined {
  switch (address) {
    case 'private':
      return privateIp;
    case 'public':
      return publicIp;
    case 'ipv6':
      return ipv6;
  }
}

const powerStates: Readonly<Record<string, MachineState>> = {
  running: 'Running',
  starting: 'Starting',
  stopping: 'Draining',
  deallocating: 'Draining',
};

const stateOf = ({ power, isDeleting, isUnhealthy }: AzureMachine): MachineState =>
  worstState(
    powerStates[power] ?? 'Stopped',
    isDeleting ? 'Draining' : 'Running',
    isUnhealthy ? 'Unhealthy' : 'Running',
  );
