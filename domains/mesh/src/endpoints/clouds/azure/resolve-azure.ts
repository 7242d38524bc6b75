import type { AzureResource } from '../../../kinds/clouds/azure-resource.ts';
import {
  type CloudMachine,
  type MachineState,
  type Resolution,
  worstState,
} from '../../../model/clouds/cloud-machine.ts';
import { indexOnce } from '../../../model/clouds/tag-index.ts';
import { canonicalIp } from '../../../model/endpoints/canonical-ip.ts';
import { type AzureInventory, type AzureMachine, keyOfId, tagsOf } from './azure-inventory.ts';

type Spec = AzureResource['spec'];

/** Finds the machines of a resource in what was read of its subscription. */
export function resolveAzure(spec: Spec, inventory: AzureInventory): Resolution {
  const { found, missing } = findMachines(spec, inventory);
  const { unreadScaleSets } = inventory;
  return {
    machines: found.flatMap(machine => machineOf(spec, machine) ?? []),
    missing,
    ...(unreadScaleSets.length > 0 && {
      keeps: ({ source = '' }) => unreadScaleSets.some(set => keyOfId(source).startsWith(`${set}/`)),
    }),
  };
}

function findMachines(spec: Spec, inventory: AzureInventory) {
  const { ids, resourceGroup } = spec;
  if (ids !== undefined) {
    const found = ids.flatMap(id => idsOf(inventory).find({ [anyId]: keyOfId(id) }));
    const isKnown = (id: string): boolean =>
      inventory.scaleSets.has(keyOfId(id)) || idsOf(inventory).find({ [machineId]: keyOfId(id) }).length > 0;
    return { found: [...new Set(found)], missing: ids.filter(id => !isKnown(id)).sort() };
  }
  // Tags of a machine, or those of its scale set.
  const tags = tagsOf(spec);
  const tagged = new Set([...ownTagsOf(inventory).find(tags), ...setTagsOf(inventory).find(tags)]);
  const found = [...tagged].filter(
    ({ key }) => resourceGroup === undefined || groupOf(key) === resourceGroup.toLowerCase(),
  );
  return { found, missing: [] };
}

const machineId = 'machine';
const anyId = 'machine or scale set';

/** Machines by their ids, and by those of their scale sets. */
const idsOf = indexOnce<AzureInventory, AzureMachine>(({ machines }, index) => {
  for (const machine of machines) {
    index.add(machineId, machine.key, machine);
    index.add(anyId, machine.key, machine);
    if (machine.scaleSet !== undefined) index.add(anyId, machine.scaleSet, machine);
  }
});

const ownTagsOf = indexOnce<AzureInventory, AzureMachine>(({ machines }, index) => {
  for (const machine of machines)
    for (const [key, value] of Object.entries(machine.tags)) index.add(key, value, machine);
});

const setTagsOf = indexOnce<AzureInventory, AzureMachine>(({ machines, scaleSets }, index) => {
  for (const machine of machines)
    for (const [key, value] of Object.entries(scaleSets.get(machine.scaleSet ?? '') ?? {}))
      index.add(key, value, machine);
});

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

/** What the extension "Application Health" reports; an application that does not respond to it may be `unknown`. */
const healthStates: Readonly<Record<string, MachineState>> = {
  initializing: 'Starting',
  unhealthy: 'Unhealthy',
  unknown: 'Unhealthy',
};

const stateOf = ({ power, isDeleting, health }: AzureMachine): MachineState =>
  worstState(powerStates[power] ?? 'Stopped', isDeleting ? 'Draining' : 'Running', healthStates[health] ?? 'Running');
