import { builtInKinds, isError, type KindDeclaration, type KubeObject } from '@chandlery/api';
import { type Clock, type IdSource, randomIds, systemClock } from '@chandlery/platform';
import { AccessRegistry } from './access/access-registry.ts';
import type { AdmissionHook, Behaviours } from './behaviours/behaviour.ts';
import { builtInBehaviours } from './behaviours/index.ts';
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
import { Housekeeper } from './maintenance/maintenance-controller.ts';
import type { Leadership } from './maintenance/leadership.ts';
import type { ClusterKinds } from './registry/cluster-kinds.ts';
import { crdResource, KindRegistry } from './registry/kind-registry.ts';
import { createObject } from './resources/create.ts';
import type { InternalWrite } from './resources/internal-write.ts';
import { KeyedTurns } from './resources/keyed-turns.ts';
import type { ResourceNeeds, Target } from './resources/request.ts';
import type { TokenIssuer } from './resources/token-request.ts';
import { ValidatorCache } from './schema/index.ts';
import type { Store, StoredObject } from './store/store.ts';
import { KindRestrictor } from './views/restrict-kinds.ts';
import { ViewNamespaces } from './views/view-namespaces.ts';
import { Views } from './views/views.ts';

/** A replica that is further behind answers by what it knows. */
const longestCatchUpMs = 1000;

export interface KernelOptions {
  readonly store: Store;
  readonly cipher: Cipher;
  readonly leadership: Leadership;
  /** Kinds of the domains, besides the built-in ones. Default none. */
  readonly kinds?: readonly KindDeclaration[];
  /** What kinds of the domains do beyond their schemas, by `group/plural`. Default none. */
  readonly behaviours?: Behaviours;
  /** What the domains decide about writes of every kind. Default: everything is admitted. */
  readonly admission?: AdmissionHook;
  /** Groups whose CRDs are written by the landscape and by administrators only. Default none. */
  readonly reservedGroups?: ReadonlySet<string>;
  /** Who issues tokens of service accounts. Default nobody. */
  readonly tokens?: TokenIssuer;
  readonly clock?: Clock;
  readonly ids?: IdSource;
  /** Called for each write that is committed in process and not sent by a client over HTTP. For the audit log. */
  readonly onInternalWrite?: (write: InternalWrite) => void;
  /** How long history is kept. Default 10 minutes. */
  readonly historyMs?: number;
  /** Told about failures that are retried in the background. */
  readonly onFailure: (what: string, error: unknown) => void;
}

/** The kernel: resources, their history, who may touch them, and what keeps them true. */
export class Kernel implements AsyncDisposable {
  readonly store: Store;
  readonly feed: ChangeFeed;
  readonly registry: KindRegistry;
  readonly access: AccessRegistry;
  readonly clusters: LogicalClusters;
  readonly views: Views;
  readonly codec: SealedCodec;
  /** What the verbs in `resources/` take as their first argument. */
  readonly needs: ResourceNeeds;
  readonly #housekeeper: Housekeeper;

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
    this.needs = {
      store,
      codec: this.codec,
      registry: this.registry,
      feed: this.feed,
      clusters: this.clusters,
      behaviours: new Map([...(options.behaviours ?? []), ...builtInBehaviours]),
      admission: options.admission ?? {},
      reservedGroups: options.reservedGroups ?? new Set(),
      onInternalWrite: options.onInternalWrite,
      tokens: options.tokens,
      clock: options.clock ?? systemClock,
      ids: options.ids ?? randomIds,
      turns: new KeyedTurns(),
    };
    this.#housekeeper = new Housekeeper({
      needs: this.needs,
      leadership: options.leadership,
      historyMs: options.historyMs,
      onFailure,
    });
  }

  /** Creates what every landscape has, on the first start, and begins to keep house. */
  async start(): Promise<void> {
    await this.feed.start();
    for (const name of [platformCluster, onboardingCluster]) await this.#ensureCluster(name);
    this.#housekeeper.start();
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
   * The kinds of a logical cluster, which serve `wanted` if it has that at all: before a kind is said to be missing, we
   * catch up with the store, where the caller may have read already that it is established.
   */
  async kindsWith(
    cluster: string,
    wanted: { readonly group: string; readonly version: string; readonly plural: string },
  ): Promise<ClusterKinds> {
    const kinds = await this.registry.of(cluster);
    if (kinds.resolve(wanted.group, wanted.version, wanted.plural) !== undefined) return kinds;
    await this.feed.reachedWithin(await this.store.currentRevision(), longestCatchUpMs);
    return this.registry.of(cluster);
  }

  /** A stored object, opened and parsed. */
  read({ key, value, revision }: StoredObject): KubeObject {
    return decodeValue(this.codec.open(key, value), revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#housekeeper[Symbol.asyncDispose]();
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
      await createObject(this.needs, target, { user, fieldManager: 'chandlery', isInternal: true }, body);
    } catch (error) {
      // Another replica was faster.
      if (!isError(error, 'AlreadyExists')) throw error;
    }
  }

  /** Purging writes no changes, so what is remembered of a cluster goes when the cluster does. */
  #forgetCluster(cluster: string): void {
    this.registry.forgetCluster(cluster);
    this.access.invalidate(cluster);
    this.clusters.forgetCluster(cluster);
  }
}
