import type { ProxyIdentity } from '../../model/identity.ts';
import type { ClusterMachines, PresentProxy } from '../../ports/endpoints.ts';

/** A connected proxy, and of which cluster its workload is. */
interface ClusterProxy extends PresentProxy {
  readonly identity: PresentProxy['identity'] & Pick<ProxyIdentity, 'cluster'>;
}

/** Which machines of a mesh are there, over all its clusters. */
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

  /** Keys of machines that are connected to this replica, as all replicas know them. */
  get connected(): readonly string[] {
    return this.#clusters.flatMap(({ prefix, machines }) => machines.presence.connected.map(key => prefix + key));
  }

  /** Takes what another replica reports of all meshes; nothing when it is gone. */
  setOther(replica: string, keys: readonly string[]): void {
    for (const { prefix, machines } of this.#clusters) {
      const own = keys.filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length));
      machines.presence.setOther(replica, own);
    }
  }
}
