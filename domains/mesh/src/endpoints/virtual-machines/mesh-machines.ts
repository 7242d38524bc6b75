import type { ProxyIdentity } from '../../model/identity.ts';
import type { ClusterMachines, MachineReport, PresentProxy } from '../../ports/endpoints.ts';

/** A connected proxy with the cluster of its workload. */
interface ClusterProxy extends PresentProxy {
  readonly identity: PresentProxy['identity'] & Pick<ProxyIdentity, 'cluster'>;
}

/** Presence of the machines of a mesh, over all its clusters. */
export class MeshMachines {
  readonly #clusters: readonly { readonly prefix: string; readonly machines: ClusterMachines }[];

  constructor(tenant: string, clusters: readonly ClusterMachines[]) {
    this.#clusters = clusters.map(machines => ({ prefix: `${tenant}|${machines.cluster}|`, machines }));
  }

  /** Registers a connected proxy, until what is returned is disposed of. */
  connect(proxy: ClusterProxy): Disposable | undefined {
    const own = this.#clusters.find(({ machines }) => machines.cluster === proxy.identity.cluster);
    return own?.machines.presence.connect(proxy);
  }

  /** What this replica knows, by keys with mesh and cluster. */
  get report(): MachineReport {
    const keysOf = (select: (report: MachineReport) => readonly string[]): readonly string[] =>
      this.#clusters.flatMap(({ prefix, machines }) => select(machines.presence.report).map(key => prefix + key));
    return { connected: keysOf(({ connected }) => connected), lost: keysOf(({ lost }) => lost) };
  }

  /** Replaces what another replica reports about all meshes. */
  setOther(replica: string, { connected, lost }: MachineReport): void {
    for (const { prefix, machines } of this.#clusters) {
      const own = (keys: readonly string[]): string[] =>
        keys.filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length));
      machines.presence.setOther(replica, { connected: own(connected), lost: own(lost) });
    }
  }
}
