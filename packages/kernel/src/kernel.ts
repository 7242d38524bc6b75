import { builtInKinds, isError, type KindDeclaration, type KubeObject } from '@chandlery/api';
import {
  type Clock,
  type IdSource,
  KeyedMutex,
  randomIds,
  silentTracer,
  systemClock,
  type Tracer,
} from '@chandlery/platform';
import { AccessRegistry } from './access/access-registry.ts';
import { authorizeRequest, type Requester } from './access/authorize-request.ts';
import type { RequestAttributes } from './access/rbac.ts';
import type { UserInfo } from './access/user.ts';
import type { AdmissionHook, Behaviours } from './behaviours/behaviour.ts';
import { builtInBehaviours } from './behaviours/index.ts';
import { CollectionIndexes, type IndexLimits } from './browse/collection-indexes.ts';
import { Calls } from './calls/calls.ts';
import {
  logicalClusterKind,
  logicalClusterResource,
  onboardingCluster,
  platformCluster,
} from './clusters/logical-cluster-kind.ts';
import { LogicalClusters } from './clusters/logical-clusters.ts';
import { type Cipher, SealedCodec } from './codec/sealed-codec.ts';
import { decodeValue } from './codec/stored-value.ts';
import { ChangeFeed } from './feed/change-feed.ts';
import type { Leadership } from './maintenance/leadership.ts';
import { MaintenanceController } from './maintenance/maintenance-controller.ts';
import type { ClusterKinds } from './registry/cluster-kinds.ts';
import { crdResource, KindRegistry } from './registry/kind-registry.ts';
import { createObject } from './resources/create.ts';
import { keysOfDependants } from './resources/dependants.ts';
import type { InternalWrite } from './resources/internal-write.ts';
import type { ResourceDeps, Target } from './resources/request.ts';
import type { TokenIssuer } from './resources/token-request.ts';
import { defaultRevisionDays } from './revisions/retention.ts';
import { RevisionKeeper } from './revisions/revision-keeper.ts';
import { ValidatorCache } from './schema/index.ts';
import type { ObjectKey, Store, StoredObject } from './store/store.ts';
import { KindRestrictor } from './views/restrict-kinds.ts';
import { ViewNamespaces } from './views/view-namespaces.ts';
import { Views } from './views/views.ts';
import type { Visibility } from './views/visibility.ts';

/** How long a request waits for a replica to catch up before it is served from what the replica has. */
const maxCatchUpMs = 1000;

export interface KernelOptions {
  readonly store: Store;
  readonly cipher: Cipher;
  readonly leadership: Leadership;
  /** Kinds of the domains, besides the built-in ones. Default none. */
  readonly kinds?: readonly KindDeclaration[];
  /** What kinds of the domains do beyond their schemas, by `group/plural`. Default none. */
  readonly behaviours?: Behaviours;
  /** Admission of the domains for writes of every kind. Default: every write is admitted. */
  readonly admission?: AdmissionHook;
  /** Groups whose CRDs are written by the landscape and by administrators only. Default none. */
  readonly reservedGroups?: ReadonlySet<string>;
  /** Issues tokens of service accounts. Default: token requests are rejected. */
  readonly tokens?: TokenIssuer;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  /** Called for each write that is committed in process and not sent by a client over HTTP. For the audit log. */
  readonly onInternalWrite?: (write: InternalWrite) => void;
  /** How long history is kept. Default `defaultHistoryMinutes` of the server's options. */
  readonly historyMs?: number;
  /** How many days superseded versions are kept for readers. 0: none are. Default 7. */
  readonly revisionDays?: number;
  /** How much of browsed collections is kept in memory. Default: see {@link IndexLimits}. */
  readonly indexes?: IndexLimits;
  /** Called with failures that are retried in the background. */
  readonly onFailure: (what: string, error: unknown) => void;
}

/** The kernel: resources, their history, authorisation and maintenance. */
export class Kernel implements AsyncDisposable {
  readonly store: Store;
  readonly feed: ChangeFeed;
  readonly registry: KindRegistry;
  readonly access: AccessRegistry;
  readonly clusters: LogicalClusters;
  /** Indexes of browsed collections. */
  readonly indexes: CollectionIndexes;
  readonly views: Views;
  readonly codec: SealedCodec;
  /** What the verbs in `resources/` take as their first argument. For the kernel's own code; others use `calls`. */
  readonly deps: ResourceDeps;
  readonly maintenance: Pick<MaintenanceController, 'waiting'>;
  readonly #maintenance: MaintenanceController;

  constructor(options: KernelOptions) {
    const { store, onFailure } = options;
    const kinds = [...builtInKinds, logicalClusterKind, ...(options.kinds ?? [])];
    const secret = kinds.filter(({ isSecret }) => isSecret).map(({ group, plural }) => `${group}/${plural}`);
    this.store = store;
    this.codec = new SealedCodec(options.cipher, secret);
    this.feed = new ChangeFeed({ store, codec: this.codec, onFailure: error => onFailure('following history', error) });
    const validators = new ValidatorCache();
    this.registry = new KindRegistry({ store, codec: this.codec, builtIn: kinds, validators });
    this.feed.listen({ resource: crdResource }, events => {
      for (const { change } of events) this.registry.invalidate(change.key.cluster);
    });
    this.feed.onGap(() => this.registry.clear());
    this.access = new AccessRegistry({ store, codec: this.codec, feed: this.feed });
    this.clusters = new LogicalClusters({ store, codec: this.codec, feed: this.feed });
    const { codec, feed, registry } = this;
    this.indexes = new CollectionIndexes({ store, codec, feed, registry }, options.indexes);
    this.views = new Views({
      store,
      feed: this.feed,
      access: this.access,
      clusters: this.clusters,
      restrictor: new KindRestrictor(validators),
      namespaces: new ViewNamespaces({ store, codec: this.codec, feed: this.feed }),
    });
    this.feed.listen({ cluster: platformCluster, resource: logicalClusterResource }, events => {
      for (const { change } of events) if (change.type === 'deleted') this.#forgetCluster(change.key.name);
    });
    const clock = options.clock ?? systemClock;
    const days = options.revisionDays ?? defaultRevisionDays;
    this.deps = {
      store,
      codec: this.codec,
      registry: this.registry,
      feed: this.feed,
      indexes: this.indexes,
      clusters: this.clusters,
      behaviours: new Map([...(options.behaviours ?? []), ...builtInBehaviours]),
      admission: options.admission ?? {},
      reservedGroups: options.reservedGroups ?? new Set(),
      onInternalWrite: options.onInternalWrite,
      tracer: options.tracer ?? silentTracer,
      tokens: options.tokens,
      clock,
      revisions: { keeper: new RevisionKeeper({ store, codec, registry, clock, revisionDays: days, onFailure }), days },
      ids: options.ids ?? randomIds,
      contendedWrites: new KeyedMutex(),
    };
    this.#maintenance = new MaintenanceController({
      deps: this.deps,
      leadership: options.leadership,
      historyMs: options.historyMs,
      onFailure,
    });
    this.maintenance = this.#maintenance;
  }

  /** Creates the logical clusters that every landscape has, on the first start, and begins maintenance. */
  async start(): Promise<void> {
    await this.feed.start();
    for (const name of [platformCluster, onboardingCluster]) await this.#ensureCluster(name);
    this.#maintenance.start();
  }

  /** Addresses a resource of a logical cluster; undefined when the cluster does not serve it. */
  async target(
    cluster: string,
    at: { group: string; version: string; plural: string; namespace?: string; name?: string },
  ): Promise<Target | undefined> {
    const resource = (await this.kindsWith(cluster, at)).resolve(at.group, at.version, at.plural);
    return resource && { cluster, resource, namespace: at.namespace ?? '', name: at.name ?? '' };
  }

  /**
   * The kinds of a logical cluster. Catches up with the store before it returns kinds that lack `wanted`, because the
   * caller may have read from another replica that it is established.
   */
  async kindsWith(
    cluster: string,
    wanted: { readonly group: string; readonly version: string; readonly plural: string },
  ): Promise<ClusterKinds> {
    const kinds = await this.registry.of(cluster);
    if (kinds.resolve(wanted.group, wanted.version, wanted.plural) !== undefined) return kinds;
    await this.feed.reachedWithin(await this.store.currentRevision(), maxCatchUpMs);
    return this.registry.of(cluster);
  }

  /** Throws `Forbidden` unless the requester may make the request; see {@link authorizeRequest}. */
  authorize(requester: Requester, attributes: RequestAttributes): Promise<Visibility | undefined> {
    return authorizeRequest(this, requester, attributes);
  }

  /** The calls of a user: the way in for lenses and in-process clients. */
  calls(user: UserInfo): Calls {
    return new Calls(this.deps, user);
  }

  /**
   * The keys of the objects of a logical cluster that belong to the owner with a uid, of whatever kind, and rarely one that
   * does not. Whether a user may see them is not asked.
   */
  keysOfDependants(cluster: string, uid: string, limit: number): Promise<readonly ObjectKey[]> {
    return keysOfDependants(this.store, { cluster, uid }, limit);
  }

  /** Decrypts and parses a stored object. */
  read({ key, value, revision }: StoredObject): KubeObject {
    return decodeValue(this.codec.open(key, value), revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.indexes.clear();
    await this.#maintenance[Symbol.asyncDispose]();
    await this.feed[Symbol.asyncDispose]();
  }

  async #ensureCluster(name: string): Promise<void> {
    if ((await this.clusters.find(name)) !== undefined) return;
    const target = await this.target(platformCluster, {
      group: 'core.chandlery.io',
      version: 'v1alpha1',
      plural: 'logicalclusters',
    });
    if (target === undefined) throw new TypeError('the kind LogicalCluster is not declared');
    const user = { username: 'system:chandlery', groups: ['system:masters'] };
    const body = { apiVersion: 'core.chandlery.io/v1alpha1', kind: 'LogicalCluster', metadata: { name } };
    try {
      await createObject(this.deps, target, { user, fieldManager: 'chandlery', isInternal: true }, body);
    } catch (error) {
      // Another replica created it first.
      if (!isError(error, 'AlreadyExists')) throw error;
    }
  }

  /** Purging a cluster writes no changes of its objects, so its caches are dropped when the cluster is deleted. */
  #forgetCluster(cluster: string): void {
    this.registry.forgetCluster(cluster);
    this.access.invalidate(cluster);
    this.clusters.forgetCluster(cluster);
    this.indexes.forgetCluster(cluster);
  }
}
