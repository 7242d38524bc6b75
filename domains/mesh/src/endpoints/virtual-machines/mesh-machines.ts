import type { ProxyIdentity } from '../../model/identity.ts';
import type { ClusterMachines, PresentProxy } from '../../ports/endpoints.ts';

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

  /** Keys of machines that are connected to this replica, with mesh and cluster. */
  get connected(): readonly string[] {
    return this.#clusters.flatMap(({ prefix, machines }) => machines.presence.connected.map(key => prefix + key));
  }

  /** Replaces the keys of all meshes that another replica reports; none when the replica has stopped. */
  setOther(replica: string, keys: readonly string[]): void {
    for (const { prefix, machines } of this.#clusters) {
      const own = keys.filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length));
      machines.presence.setOther(replica, own);
    }
  }
}
