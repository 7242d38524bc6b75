import type { Client } from '@chandlery/client';
import { createInformer, type Informer } from '@chandlery/runtime';
import { type MeshReplica, meshReplicas } from '../kinds/mesh-replica.ts';

export interface ReplicaMachinesOptions {
  /** Client of the platform cluster. Not disposed of. */
  readonly platform: Client;
  /** Name of this replica, whose own report is ignored. */
  readonly replica: string;
  /** Called with the machines that another replica reports; with none when the replica has stopped. */
  readonly onReport: (replica: string, machines: readonly string[]) => void;
}

/** The machines that are connected to other replicas, from their reports. */
export class ReplicaMachines implements AsyncDisposable {
  readonly #informer: Informer<MeshReplica>;
  readonly #replica: string;

  constructor({ platform, replica, onReport }: ReplicaMachinesOptions) {
    this.#replica = replica;
    this.#informer = createInformer<MeshReplica>({ client: platform, ref: meshReplicas.ref });
    const report = ({ metadata: { name = '' } }: MeshReplica, machines: readonly string[]): void => {
      if (name !== replica) onReport(name, machines);
    };
    this.#informer.listen({
      added: other => report(other, other.spec.machines ?? []),
      updated: other => report(other, other.spec.machines ?? []),
      deleted: other => report(other, []),
    });
    this.#informer.start();
  }

  /** The current reports, for a mesh that is opened later. */
  *reports(): Iterable<readonly [replica: string, machines: readonly string[]]> {
    for (const { metadata, spec } of this.#informer.list())
      if (metadata.name !== undefined && metadata.name !== this.#replica) yield [metadata.name, spec.machines ?? []];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informer[Symbol.asyncDispose]();
  }
}
