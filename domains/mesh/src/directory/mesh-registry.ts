import { ChandleryError, toError } from '@chandlery/api';
import { type Logger, rejectionOf } from '@chandlery/platform';
import type { ConnectMember } from '../members/member-connections.ts';
import type { MachineReport } from '../ports/endpoints.ts';
import type { ConnectedProxy, MeshAuthority, Proxy, ProxyRegistry } from '../ports.ts';
import type { ResourceCompiler } from '../resources/create-resource-compiler.ts';
import type { MeshDirectory } from './mesh-directory.ts';
import type { MeshSpec } from './mesh-spec.ts';
import { type OpenMesh, type OpenMeshOptions, openMesh } from './open-mesh.ts';

export interface MeshRegistryOptions {
  readonly directory: MeshDirectory;
  readonly connectMember: ConnectMember;
  readonly authority: MeshAuthority;
  /** Called once, when the first mesh is opened. */
  readonly loadCompiler: () => Promise<ResourceCompiler>;
  /** For all meshes, see {@link OpenMeshOptions}. */
  readonly endpointsProviders?: OpenMeshOptions['endpointsProviders'];
  /** For all meshes, see {@link OpenMeshOptions}. */
  readonly readClouds?: OpenMeshOptions['readClouds'];
  /** For all meshes, see {@link OpenMeshOptions}. */
  readonly instanceRecords?: OpenMeshOptions['instanceRecords'];
  readonly logger: Logger;
  /** What other replicas report about machines. Default: nothing. */
  readonly otherMachines?: () => Iterable<readonly [replica: string, report: MachineReport]>;
}

interface Entry {
  readonly spec: MeshSpec;
  readonly opening: Promise<OpenMesh>;
  /** Aborts the initial read. */
  readonly stop: AbortController;
  /** Undefined during the initial read. */
  open?: OpenMesh;
}

/**
 * The open meshes of this process. A mesh is opened when its first proxy connects or a request reads it, and then kept
 * up to date; a tenant without proxies costs nothing.
 */
export class MeshRegistry implements ProxyRegistry, AsyncDisposable {
  readonly #options: MeshRegistryOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #unsubscribe: () => void;
  #compiler: Promise<ResourceCompiler> | undefined;

  constructor(options: MeshRegistryOptions) {
    this.#options = options;
    this.#unsubscribe = options.directory.subscribe(tenant => void this.#close(tenant));
  }

  isReady(tenant: string): boolean {
    return this.#entries.get(tenant)?.open !== undefined;
  }

  async ready(tenant: string, signal: AbortSignal): Promise<void> {
    await this.mesh(tenant, signal);
  }

  /** Opens the mesh of a tenant unless it is open; resolves when all its caches are synced. */
  async mesh(tenant: string, signal: AbortSignal): Promise<OpenMesh> {
    const entry = this.#entries.get(tenant) ?? (await this.#begin(tenant));
    return Promise.race([entry.opening, rejectionOf(signal)]);
  }

  /** The meshes that are open and synced. */
  get open(): readonly OpenMesh[] {
    return [...this.#entries.values()].flatMap(({ open }) => open ?? []);
  }

  registerProxy(proxy: Proxy): ConnectedProxy {
    const { tenant, cluster } = proxy.identity;
    const mesh = this.#entries.get(tenant)?.open;
    if (mesh === undefined) throw new ChandleryError('NotReady', `mesh "${tenant}" is not read yet, try again`);
    if (!mesh.spec.clusters.some(({ name }) => name === cluster)) {
      throw new ChandleryError('UnknownMesh', `cluster "${cluster}" is not part of mesh "${tenant}"`, {
        hint: 'ask for a new certificate: the cluster has moved to another mesh since this one was issued',
      });
    }
    return mesh.catalog.registerProxy(proxy);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await Promise.all([...this.#entries.keys()].map(tenant => this.#close(tenant)));
  }

  async #begin(tenant: string): Promise<Entry> {
    const { directory } = this.#options;
    const spec = await directory.find(tenant);
    const known = this.#entries.get(tenant);
    if (known !== undefined) return known;
    if (spec === undefined) {
      throw new ChandleryError('UnknownMesh', `there is no mesh "${tenant}"`, {
        hint: 'name a Mesh of the platform cluster, or a logical cluster that belongs to none',
      });
    }
    const stop = new AbortController();
    const entry: Entry = { spec, opening: this.#open(spec, stop.signal), stop };
    this.#entries.set(tenant, entry);
    entry.opening.then(
      open => {
        entry.open = open;
        for (const [replica, report] of this.#options.otherMachines?.() ?? []) open.machines.setOther(replica, report);
      },
      (error: unknown) => {
        if (entry.stop.signal.aborted) return;
        this.#options.logger.warn('cannot read a mesh, the next proxy tries again', {
          mesh: tenant,
          error: toError(error).message,
        });
        if (this.#entries.get(tenant) === entry) this.#entries.delete(tenant);
      },
    );
    return entry;
  }

  async #open(spec: MeshSpec, signal: AbortSignal): Promise<OpenMesh> {
    const { loadCompiler, directory: _, otherMachines: __, ...options } = this.#options;
    this.#compiler ??= loadCompiler();
    return openMesh({ ...options, spec, compiler: await this.#compiler, signal });
  }

  /** Connected proxies have to reconnect, and then get the mesh as it is declared by that time. */
  async #close(tenant: string): Promise<void> {
    const entry = this.#entries.get(tenant);
    this.#entries.delete(tenant);
    entry?.stop.abort(new ChandleryError('NotReady', `mesh "${tenant}" has changed, connect again`));
    const open = await entry?.opening.catch(() => undefined);
    await open?.[Symbol.asyncDispose]();
  }
}
