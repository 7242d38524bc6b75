import type { KubeObject } from '@chandlery/api';
import type { AccessRegistry } from '../access/access-registry.ts';
import type { ClusterAccess } from '../access/cluster-access.ts';
import { isPathRequest, type RequestAttributes, type ResourceAttributes } from '../access/rbac.ts';
import type { Reach } from '../access/reach.ts';
import { isMaster, type UserInfo } from '../access/user.ts';
import type { LogicalClusters } from '../clusters/logical-clusters.ts';
import type { ChangeFeed } from '../feed/change-feed.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import type { ClusterKinds } from '../registry/cluster-kinds.ts';
import type { CompiledKind } from '../registry/compiled-kind.ts';
import { crdResource } from '../registry/kind-registry.ts';
import type { Store } from '../store/store.ts';
import type { KindRestrictor } from './restrict-kinds.ts';
import type { ViewNamespaces } from './view-namespaces.ts';
import type { ViewSpec } from './view-spec.ts';
import { type Visibility, visibilityOf } from './visibility.ts';
import { clusterScopedParts, namespacedParts, namespaceParts, type VisiblePart } from './visible-parts.ts';

export interface ViewsOptions {
  readonly store: Store;
  readonly feed: ChangeFeed;
  readonly access: AccessRegistry;
  readonly clusters: LogicalClusters;
  readonly restrictor: KindRestrictor;
  readonly namespaces: ViewNamespaces;
}

/** Finds views, and what users see of collections. */
export class Views {
  readonly #options: ViewsOptions;

  constructor(options: ViewsOptions) {
    this.#options = options;
  }

  /** The view that a logical cluster is; undefined for one that holds objects itself, and for none. */
  async find(cluster: string): Promise<View | undefined> {
    const spec = (await this.#options.clusters.find(cluster))?.view;
    return spec && new View(spec, this.#options);
  }

  /**
   * What a user who may not list a whole collection sees of it, where its kind has partial lists; undefined where it has
   * none, and for those who see all.
   */
  async partial(cluster: string, kind: CompiledKind, user: UserInfo, verb: string): Promise<Visibility | undefined> {
    if (!kind.declaration.hasPartialLists) return undefined;
    const attributes = { verb, ...kind.groupResource };
    const parts = kind.isNamespaced ? namespacedParts : clusterScopedParts;
    return visibilityOf(this.#options, {
      cluster,
      user,
      parts: async access => parts(access.reach(user, attributes), {}),
    });
  }
}

/** No namespace is called so: what is allowed here is allowed everywhere. */
const nowhere = ' ';

/** Shows a part of a logical cluster, its base, as a logical cluster of its own. It holds nothing: all objects are the base's. */
export class View {
  readonly base: string;
  readonly #spec: ViewSpec;
  readonly #options: ViewsOptions;

  constructor(spec: ViewSpec, options: ViewsOptions) {
    this.base = spec.base;
    this.#spec = spec;
    this.#options = options;
  }

  /** Those of the base's kinds that the view serves. */
  kindsOf(baseKinds: ClusterKinds): ClusterKinds {
    return this.#options.restrictor.restrict(baseKinds, this.#spec.served);
  }

  async hasNamespace(namespace: string): Promise<boolean> {
    return (await this.#namespaces()).has(namespace);
  }

  /** Whether a cluster-scoped object exists in the view. */
  async hasObject({ resource }: Pick<CompiledKind, 'resource'>, name: string, kinds: ClusterKinds): Promise<boolean> {
    if (resource === '/namespaces') return this.hasNamespace(name);
    if (resource === crdResource) return definitionsOf(kinds).has(name);
    return this.#spec.objects.get(resource)?.has(name) ?? true;
  }

  /** Whether the user has any business here: a right in a namespace of the view, or on one of its own objects. */
  async isMember(access: ClusterAccess, user: UserInfo): Promise<boolean> {
    if (isMaster(user)) return true;
    const namespaces = await this.#namespaces();
    if (access.namespacesOf(user).some(namespace => namespaces.has(namespace))) return true;
    return [...this.#spec.objects].some(([resource, names]) => {
      const [group = '', plural = ''] = resource.split('/');
      return [...names].some(name => access.authorize(user, { verb: 'get', group, resource: plural, name }).allowed);
    });
  }

  /** Whether the user, a member, may do it, as the base's rights say: nothing outside the view is within them. */
  async allows(
    access: ClusterAccess,
    user: UserInfo,
    attributes: RequestAttributes,
    kinds: ClusterKinds,
  ): Promise<boolean> {
    const isAllowed = (asked: RequestAttributes): boolean => access.authorize(user, asked).allowed;
    if (isPathRequest(attributes)) return isAllowed(attributes);
    const { namespace = '', verb, group, resource } = attributes;
    if (isDefinition(attributes) && readVerbs.has(verb)) return true;
    if (namespace !== '')
      return isAllowed((await this.hasNamespace(namespace)) ? attributes : { ...attributes, namespace: nowhere });
    const kind = kinds.get(`${group}/${resource}`)?.kind;
    if (kind === undefined || !collectionVerbs.has(verb) || isAllowed(attributes)) return isAllowed(attributes);
    const parts = await this.#parts(access.reach(user, { verb, group, resource }), kind, kinds);
    return parts === undefined || parts.length > 0;
  }

  /** The rules that hold for the user in a namespace; outside the view, those that hold everywhere. */
  async namespaceOfRules(namespace: string): Promise<string> {
    return (await this.hasNamespace(namespace)) ? namespace : nowhere;
  }

  /** What the user sees of a collection of the view; undefined when it is just that of the base. */
  visibility(kind: CompiledKind, user: UserInfo, verb: string, kinds: ClusterKinds): Promise<Visibility | undefined> {
    const attributes = { verb, ...kind.groupResource };
    return visibilityOf(this.#options, {
      cluster: this.base,
      user,
      parts: async access => {
        const isOpen = kind.resource === crdResource;
        return this.#parts(isOpen ? everywhere : access.reach(user, attributes), kind, kinds);
      },
      concernsNamespace: event => this.#concernsNamespace(event),
    });
  }

  async #parts(
    reach: Reach,
    { resource, isNamespaced }: CompiledKind,
    kinds: ClusterKinds,
  ): Promise<readonly VisiblePart[] | undefined> {
    if (resource === crdResource) return clusterScopedParts(reach, { names: definitionsOf(kinds) });
    const namespaces = await this.#namespaces();
    if (resource === '/namespaces') return namespaceParts(reach, { namespaces });
    if (isNamespaced) return namespacedParts(reach, { namespaces });
    const names = this.#spec.objects.get(resource);
    return clusterScopedParts(reach, names === undefined ? {} : { names });
  }

  /** Whether a namespace comes to the view or leaves it. */
  async #concernsNamespace(event: FeedEvent): Promise<boolean> {
    const isLabelled = this.#isLabelled(event.object);
    if (event.change.type !== 'updated') return isLabelled;
    return this.#isLabelled(await event.previous()) !== isLabelled;
  }

  #isLabelled(namespace: KubeObject | undefined): boolean {
    const { key, value } = this.#spec.label;
    return namespace?.metadata.labels?.[key] === value;
  }

  #namespaces(): Promise<ReadonlySet<string>> {
    return this.#options.namespaces.of(this.#spec);
  }
}

const readVerbs = new Set(['get', 'list', 'watch']);
const collectionVerbs = new Set(['list', 'watch', 'deletecollection']);
const everywhere: Reach = { isEverywhere: true, namespaces: new Set(), names: new Map() };

const isDefinition = ({ group, resource, subresource }: ResourceAttributes): boolean =>
  `${group}/${resource}` === crdResource && subresource === undefined;

/** The names of the definitions of the kinds. */
function definitionsOf(kinds: ClusterKinds): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { crd } of kinds.all()) if (crd !== undefined) names.add(crd.name);
  return names;
}
