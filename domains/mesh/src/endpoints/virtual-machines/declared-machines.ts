import type { Informer } from '@chandlery/runtime';
import type { VirtualMachineSet } from '../../kinds/virtual-machine-set.ts';
import type { EndpointHealth } from '../../model/endpoint.ts';
import { canonicalIp } from '../../model/endpoints/canonical-ip.ts';
import { MicrotaskBatch } from '../microtask-batch.ts';
import type { DeclaredMachine, Machine, MachineAddresses } from './machine.ts';

const healthOf: Readonly<Record<DeclaredMachine['state'], EndpointHealth>> = {
  Running: 'healthy',
  Draining: 'draining',
  Stopped: 'unhealthy',
};

/**
 * Resolves resource ids by the declarations of the sets. For an id in two sets of a namespace, the first set by name
 * applies.
 */
export function createDeclaredMachines(sets: Informer<VirtualMachineSet>): MachineAddresses {
  const machines = new Map<string, ReadonlyMap<string, Machine>>();
  const listeners = new Set<(namespaces: ReadonlySet<string>) => void>();
  const changed = new MicrotaskBatch(namespaces => {
    for (const listener of [...listeners]) listener(namespaces);
  });
  const note = ({ metadata: { namespace = '' } }: VirtualMachineSet): void => {
    machines.delete(namespace);
    changed.add(namespace);
  };
  const unlisten = sets.listen({ added: note, updated: note, deleted: note });
  const machinesIn = (namespace: string): ReadonlyMap<string, Machine> => {
    const known = machines.get(namespace) ?? declaredIn(sets.list(namespace));
    machines.set(namespace, known);
    return known;
  };
  return {
    synced: sets.synced,
    resolveAddresses: (namespace, id) => machinesIn(namespace).get(id),
    subscribe(listener) {
      const own = (namespaces: ReadonlySet<string>): void => listener(namespaces);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    async [Symbol.asyncDispose]() {
      unlisten();
      listeners.clear();
    },
  };
}

function declaredIn(sets: readonly VirtualMachineSet[]): ReadonlyMap<string, Machine> {
  const machines = new Map<string, Machine>();
  for (const set of sets.toSorted(byName))
    for (const machine of set.spec.machines ?? [])
      if (!machines.has(machine.id)) machines.set(machine.id, readMachine(set, machine));
  return machines;
}

const byName = (a: VirtualMachineSet, b: VirtualMachineSet): number =>
  (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;

function readMachine({ metadata, spec }: VirtualMachineSet, machine: DeclaredMachine): Machine {
  const { addresses, state, weight, zone, region = spec.region } = machine;
  return {
    addresses: addresses.flatMap(address => canonicalIp(address) ?? []),
    health: healthOf[state],
    cloud: spec.cloud ?? metadata.name ?? '',
    weight,
    ...(region && { region }),
    ...(zone && { zone }),
  };
}
