import type { HttpClient } from '@chandlery/client';
import { namespace, object, refs } from '../../conformance/xds/support/mesh-landscape.ts';

/** A machine that serves `books`. */
export interface DeclaredMachine {
  /** Of the machine, and of its Envoy as a node. */
  readonly id: string;
  readonly address: string;
  readonly ports: readonly { readonly name: string; readonly port: number }[];
}

/** Says where the workload of a machine is reached. */
export async function declareMachine(client: HttpClient, { id, address, ports }: DeclaredMachine): Promise<void> {
  const spec = {
    machines: [{ id, addresses: [address] }],
    services: [{ name: 'books', ports, machines: [id], serviceAccount: 'books' }],
  };
  const body = object('mesh.chandlery.io/v1alpha1', 'VirtualMachineSet', { name: id, namespace }, { spec });
  await client.create({ ...refs.machineSets, namespace }, body);
}
