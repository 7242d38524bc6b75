import type { Clock, IdSource, KeyedMutex, Tracer } from '@chandlery/platform';
import type { ClusterAccess } from '../access/cluster-access.ts';
import type { UserInfo } from '../access/user.ts';
import type { AdmissionHook, Behaviours } from '../behaviours/behaviour.ts';
import type { CollectionIndexes } from '../browse/collection-indexes.ts';
import type { LogicalClusters } from '../clusters/logical-clusters.ts';
import type { SealedCodec } from '../codec/sealed-codec.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { ResolvedResource } from '../registry/cluster-kinds.ts';
import type { KindRegistry } from '../registry/kind-registry.ts';
import type { RevisionKeeper } from '../revisions/revision-keeper.ts';
import type { ObjectKey, Store } from '../store/store.ts';
import type { Visibility } from '../views/visibility.ts';
import type { InternalWrite } from './internal-write.ts';
import type { TokenIssuer } from './token-request.ts';

/** What the verbs use of the rest of the kernel. */
export interface ResourceDeps {
  readonly store: Store;
  readonly codec: SealedCodec;
  readonly registry: KindRegistry;
  readonly feed: ChangeFeed;
  readonly indexes: Pick<CollectionIndexes, 'within' | 'isTooLarge'>;
  readonly clusters: LogicalClusters;
  readonly behaviours: Behaviours;
  readonly admission: AdmissionHook;
  /** Groups whose CRDs are written by the landscape and by administrators only. */
  readonly reservedGroups: ReadonlySet<string>;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** Called for each committed write with `isInternal`. Undefined: such writes are not reported. */
  readonly onInternalWrite: ((write: InternalWrite) => void) | undefined;
  /** Serialises the retries of writers that lost a race for the same object. */
  readonly contendedWrites: KeyedMutex<string>;
  /** Versions that outlive the history of watches, and for how many days where a kind says nothing. */
  readonly revisions: {
    readonly keeper: Pick<RevisionKeeper, 'catchUp' | 'start' | 'stop' | 'trim'>;
    readonly days: number;
  };
  /** Records commits as parts of the traces that their callers run in. */
  readonly tracer: Tracer;
  /** Undefined: no token issuer is configured. */
  readonly tokens: TokenIssuer | undefined;
}

/** What a request addresses. */
export interface Target {
  readonly cluster: string;
  readonly resource: ResolvedResource;
  /** Empty for cluster-scoped kinds, and for all namespaces of a collection. */
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
  /** The part of the collection that is meant. Default: all of it. */
  readonly visibility?: Visibility;
}

/** The user of a write, and how it is made. */
export interface WriteOptions {
  readonly user: UserInfo;
  /** Rights of the user, for kinds whose writes hand out rights. Undefined: the kernel itself writes, unchecked. */
  readonly access?: ClusterAccess;
  readonly fieldManager: string;
  /** True for writes that are not requests of clients over HTTP; they are reported to the audit log. Default false. */
  readonly isInternal?: boolean;
  /** Everything is checked, nothing is stored. Default false. */
  readonly dryRun?: boolean;
  /** What unknown and duplicate fields lead to. Default `Warn`. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Problems found while the body was decoded (duplicate fields), as sentences. Default none. */
  readonly decodingProblems?: readonly string[];
  /** Called with a warning about input that is accepted nevertheless. */
  readonly warn?: (text: string) => void;
}

export const keyOfTarget = ({ cluster, resource, namespace, name }: Target): ObjectKey => ({
  cluster,
  resource: resource.kind.stored.resource,
  namespace,
  name,
});
