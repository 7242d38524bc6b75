import type { Client } from '@chandlery/client';
import { createInformer, type Informer } from '@chandlery/runtime';
import { type MeshReplica, meshReplicas } from '../kinds/mesh-replica.ts';
import { emptyMachineReport, type MachineReport } from '../ports/endpoints.ts';

export interface ReplicaMachinesOptions {
  /** Client of the platform cluster. Not disposed of. */
  readonly platform: Client;
  /** Name of this replica, whose own report is ignored. */
  readonly replica: string;
  /** Called with what another replica reports; with an empty report when the replica has stopped. */
  readonly onReport: (replica: string, report: MachineReport) => void;
}

/** What other replicas know about machines, from their reports. */
export class ReplicaMachines implements AsyncDisposable {
  readonly #informer: Informer<MeshReplica>;
  readonly #replica: string;

  constructor({ platform, replica, onReport }: ReplicaMachinesOptions) {
    this.#replica = replica;
    this.#informer = createInformer<MeshReplica>({ client: platform, ref: meshReplicas.ref });
    const report = ({ metadata: { name = '' } }: MeshReplica, machines: MachineReport): void => {
      if (name !== replica) onReport(name, machines);
    };
    this.#informer.listen({
      added: other => report(other, reportOf(other)),
      updated: other => report(other, reportOf(other)),
      deleted: other => report(other, emptyMachineReport),
    });
    this.#informer.start();
  }

  /** The current reports, for a mesh that is opened later. */
  *reports(): Iterable<readonly [replica: string, report: MachineReport]> {
    for (const other of this.#informer.list()) {
      const { name } = other.metadata;
      if (name !== undefined && name !== this.#replica) yield [name, reportOf(other)];
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informer[Symbol.asyncDispose]();
  }
}

const reportOf = ({ spec: { machines = [], lostMachines = [] } }: MeshReplica): MachineReport => ({
  connected: machines,
  lost: lostMachines,
});
