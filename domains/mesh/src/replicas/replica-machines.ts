import type { Client } from '@chandlery/client';
import { createInformer, type Informer } from '@chandlery/runtime';
import { type MeshReplica, meshReplicas } from '../kinds/mesh-replica.ts';

export interface ReplicaMachinesOptions {
  /** Of the platform cluster. Not disposed of. */
  readonly platform: Client;
  /** Of this replica; what it reports itself is left out. */
  readonly replica: string;
  /** Called with what another replica reports; with nothing when it is gone. */
  readonly onReport: (replica: string, machines: readonly string[]) => void;
}

/** Which machines are connected to other replicas, as these report it. */
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

  /** What is known now, for somebody who comes later. */
  *reports(): Iterable<readonly [replica: string, machines: readonly string[]]> {
    for (const { metadata, spec } of this.#informer.list())
      if (metadata.name !== undefined && metadata.name !== this.#replica) yield [metadata.name, spec.machines ?? []];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informer[Symbol.asyncDispose]();
  }
}
