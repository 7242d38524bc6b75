import type { Client } from '@chandlery/client';
import { type Logger, silentLogger } from '@chandlery/platform';
import {
  type ControllerMetrics,
  createController,
  createInformer,
  keyOf,
  withoutManagedFields,
} from '@chandlery/runtime';
import { createDeclaredMachines } from '../../endpoints/virtual-machines/declared-machines.ts';
import { type VirtualMachineSet, virtualMachineSets } from '../../kinds/virtual-machine-set.ts';
import { type MachineSetDeps, reportMachines } from './report-machines.ts';

export interface MachineSetControllerOptions {
  /** Client of the cluster of the sets. Not disposed of. */
  readonly client: Client;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: none. */
  readonly metrics?: ControllerMetrics;
}

/** Starts the controller that maintains the status of VirtualMachineSets. One process of a landscape runs it. */
export function startMachineSetController(options: MachineSetControllerOptions): AsyncDisposable {
  const { client, logger = silentLogger, metrics } = options;
  const { ref } = virtualMachineSets;
  const stack = new AsyncDisposableStack();
  const sets = stack.use(createInformer<VirtualMachineSet>({ client, ref, transform: withoutManagedFields }));
  const addresses = stack.use(createDeclaredMachines(sets));
  const controller = stack.use(
    createController<VirtualMachineSet, MachineSetDeps>({
      name: 'virtual-machine-sets',
      client,
      for: { ref, informer: sets },
      steps: [reportMachines],
      needs: { resolveAddresses: (namespace, id) => addresses.resolveAddresses(namespace, id) },
      logger,
      ...(metrics && { metrics }),
    }),
  );
  // A machine of one set may be referenced by all other sets of the namespace.
  const enqueueSets = (namespaces: ReadonlySet<string>): void => {
    for (const set of [...namespaces].flatMap(namespace => sets.list(namespace))) controller.enqueue(keyOf(set));
  };
  stack.defer(addresses.subscribe(enqueueSets));
  controller.start();
  return stack;
}
