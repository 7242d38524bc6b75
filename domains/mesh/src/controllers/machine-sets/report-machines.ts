import { type StatedCondition, type Step, setCondition } from '@chandlery/runtime';
import { checkMachineSet } from '../../admission/check-machine-set.ts';
import type { MachineAddresses } from '../../endpoints/virtual-machines/machine.ts';
import { endpointsOf, resolveResources } from '../../endpoints/virtual-machines/resolve-resources.ts';
import type { VirtualMachineSet } from '../../kinds/virtual-machine-set.ts';

export type MachineSetDeps = Pick<MachineAddresses, 'resolveAddresses'>;

/** Reports the number of endpoints of a set and its problems in the status. */
export const reportMachines: Step<VirtualMachineSet, MachineSetDeps> = (set, { resolveAddresses }, { now }) => {
  const { namespace = '' } = set.metadata;
  const services = set.spec.services ?? [];
  const addressesOf = (id: string) => resolveAddresses(namespace, id);
  const named = new Set(services.flatMap(({ machines }) => machines));
  const unknown = [...named].filter(id => addressesOf(id) === undefined).sort();
  const served = services.flatMap(({ name }) => resolveResources(name, services));
  set.status = { ...set.status, endpoints: endpointsOf(served, addressesOf).length };
  setCondition(set, describe(set, unknown), now);
  return 'continue';
};

function describe({ spec }: VirtualMachineSet, unknown: readonly string[]): StatedCondition {
  const [problem, ...others] = checkMachineSet(spec);
  if (problem !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return notReady('InvalidSet', `${problem.field}: ${problem.message}${more}`);
  }
  if (unknown.length > 0) return notReady('UnknownMachines', unknownMessage(unknown));
  return { type: 'Ready', status: 'True', reason: 'Resolved' };
}

const notReady = (reason: string, message: string): StatedCondition => ({
  type: 'Ready',
  status: 'False',
  reason,
  message,
});

function unknownMessage(unknown: readonly string[]): string {
  const shown = unknown.slice(0, 3).map(id => `"${id}"`);
  const more = unknown.length > shown.length ? ` and ${unknown.length - shown.length} more` : '';
  return `no machine has the id ${shown.join(', ')}${more}; see spec.machines of the sets in this namespace`;
}
