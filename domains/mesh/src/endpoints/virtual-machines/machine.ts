import type { VirtualMachineSet } from '../../kinds/virtual-machine-set.ts';
import type { EndpointHealth } from '../../model/endpoint.ts';
import type { Unsubscribe } from '../../ports/unsubscribe.ts';

export type SetSpec = VirtualMachineSet['spec'];
export type DeclaredMachine = NonNullable<SetSpec['machines']>[number];
export type DeclaredService = NonNullable<SetSpec['services']>[number];

/** The machine or scale set of a resource id. */
export interface Machine {
  /** In canonical form. */
  readonly addresses: readonly string[];
  readonly health: EndpointHealth;
  /** The cloud, in place of a cluster. */
  readonly cloud: string;
  readonly region?: string;
  readonly zone?: string;
  readonly weight: number;
}

/** Resolves resource ids to addresses, by the declared sets. It serves reads from its own cache. */
export interface MachineAddresses extends AsyncDisposable {
  /** Resolves when the initial data is complete. */
  readonly synced: Promise<void>;
  /** Returns the machine of an id in a namespace; undefined for an unknown id. */
  resolveAddresses(namespace: string, id: string): Machine | undefined;
  /** Calls the listener with namespaces that may have changed, after reads show the change. */
  subscribe(listener: (namespaces: ReadonlySet<string>) => void): Unsubscribe;
}
