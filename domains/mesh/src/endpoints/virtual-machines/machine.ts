import type { VirtualMachineSet } from '../../kinds/virtual-machine-set.ts';
import type { EndpointHealth } from '../../model/endpoint.ts';
import type { Unsubscribe } from '../../ports/unsubscribe.ts';

export type SetSpec = VirtualMachineSet['spec'];
export type DeclaredMachine = NonNullable<SetSpec['machines']>[number];
export type DeclaredService = NonNullable<SetSpec['services']>[number];

/** What a resource id of a cloud stands for. */
export interface Machine {
  /** In canonical form. */
  readonly addresses: readonly string[];
  readonly health: EndpointHealth;
  /** Where it is, as if it were a cluster. */
  readonly cloud: string;
  readonly region?: string;
  readonly zone?: string;
  readonly weight: number;
}

/**
 * Knows which addresses stand behind resource ids: the declared sets themselves, or the API of a cloud. Answers from its
 * own copy and keeps its last good answer while its cloud cannot be reached.
 */
export interface MachineAddresses extends AsyncDisposable {
  /** Resolves when everything that is asked for at the start can be answered. */
  readonly synced: Promise<void>;
  /** Why answers may be old; undefined while they are fresh. */
  readonly staleReason: string | undefined;
  /** The machine of an id that is named in a namespace; undefined for one that is not known there. */
  resolveAddresses(namespace: string, id: string): Machine | undefined;
  /** Calls the listener with namespaces in which something may have changed, after the answers have. */
  subscribe(listener: (namespaces: ReadonlySet<string>) => void): Unsubscribe;
}
