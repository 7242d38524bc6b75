import { ChandleryError, type JsonObject, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import {
  type AccessRequest,
  accessRequests,
  type ClusterRequest,
  clusterRequests,
  clusters,
  shorten,
} from '@chandlery/clusters/kinds';
import {
  apply,
  conditionsOf,
  type Informer,
  ignoreNotFound,
  isDeleting,
  isSameJson,
  type SharedInformers,
} from '@chandlery/runtime';
import type { AccessRequirement } from '../model/access-requirements.ts';
import { fieldManagerOf, sdkNames } from '../model/names.ts';
import type { ClusterConnection } from '../objects/cluster-connection.ts';
import type { Place } from '../sync/syncer.ts';
import type { ConnectionPool } from './connection-pool.ts';
import {
  accessRequestFor,
  clusterRequestFor,
  handedOverLabels,
  isHandedOver,
  isManagedBy,
  preparedMetadata,
  type RetainedAccess,
  takenBackLabels,
  unpreparedMetadata,
} from './request-objects.ts';

export interface AccessOptions {
  readonly provider: string;
  readonly platform: Client;
  readonly informers: SharedInformers;
  readonly pool: ConnectionPool;
}

/** The state of an access. */
export type AccessState =
  | { readonly type: 'ready'; readonly connection: ClusterConnection }
  /**
   * A change of the requests enqueues the object. Blocking: no other access can be requested before this one is
   * granted.
   */
  | { readonly type: 'waiting'; readonly message: string; readonly isBlocking?: boolean }
  /** The cluster does not exist, and so nothing is on it. */
  | { readonly type: 'gone' };

/** Requests access to clusters and gives it back. Keeps no state: everything is read from the platform cluster. */
export class Access {
  /** AccessRequests of this provider. */
  readonly accessRequests: Informer<AccessRequest>;
  /** All ClusterRequests, those of control planes included. */
  readonly clusterRequests: Informer<ClusterRequest>;
  readonly #options: AccessOptions;

  constructor(options: AccessOptions) {
    const { platform: client, informers, provider, pool } = options;
    const labelSelector = `${sdkNames.managedByLabel}=${shorten(provider)}`;
    this.#options = options;
    this.accessRequests = informers.informer<AccessRequest>({ client, ref: accessRequests.ref, labelSelector });
    this.clusterRequests = informers.informer<ClusterRequest>({ client, ref: clusterRequests.ref });
    for (const informer of [this.accessRequests, this.clusterRequests])
      informer.addIndex(byOwner, ({ metadata }: KubeObject) => ownerKeysOf(metadata.annotations));
    this.accessRequests.listen({ updated: request => void pool.refresh(idOf(placeOf(request))) });
  }

  /** Creates the requests of a requirement unless they exist, and returns the state of the access. */
  async ensure(requirement: AccessRequirement, signal: AbortSignal): Promise<AccessState> {
    const isAsked =
      requirement.request.purpose === undefined
        ? this.#isRequested(requirement)
        : await this.#request(requirement, signal);
    if (!isAsked) return { type: 'waiting', message: noControlPlane(requirement), isBlocking: true };
    return this.#stateOf(requirement, await this.#ask(requirement, signal), signal);
  }

  /** Returns access to a cluster for cleanup; `gone` when the cluster does not exist. */
  async find(requirement: AccessRequirement, signal: AbortSignal): Promise<AccessState> {
    if (await this.#isClusterRemoved(requirement, signal)) return { type: 'gone' };
    return this.ensure(requirement, signal);
  }

  /** Returns the state of an access without requesting it. */
  async peek(requirement: AccessRequirement, signal: AbortSignal): Promise<AccessState> {
    const request = await this.#get<AccessRequest>(accessRequests.ref, requirement.place, signal);
    return request === undefined ? { type: 'gone' } : this.#stateOf(requirement, request, signal);
  }

  /** Deletes the requests. Returns what still exists, or undefined when all is deleted. Call it until then. */
  async release(requirement: AccessRequirement, signal: AbortSignal): Promise<string | undefined> {
    const { place, request } = requirement;
    const access = await this.#delete('AccessRequest', accessRequests.ref, place, signal);
    if (access !== undefined) return access;
    await this.#options.pool.close(idOf(place));
    if (request.purpose === undefined) return undefined;
    return this.#delete('ClusterRequest', clusterRequests.ref, request, signal);
  }

  /** Records on the requests which RetainedService will hold them after the hand-over, and what it needs to know. */
  async prepareHandOver(requirement: AccessRequirement, handOver: RetainedAccess, signal: AbortSignal): Promise<void> {
    const { provider } = this.#options;
    const { copies } = handOver;
    const spec = copies.length === 0 ? {} : { spec: { copies: copies as JsonObject[] } };
    const metadata = preparedMetadata(requirement, provider, handOver);
    await this.#patch(accessRequests.ref, requirement.place, { metadata, ...spec }, signal);
    if (requirement.request.purpose === undefined) return;
    const withoutKinds = preparedMetadata(requirement, provider, { ...handOver, kinds: [] });
    await this.#patch(clusterRequests.ref, requirement.request, { metadata: withoutKinds }, signal);
  }

  /** Releases prepared requests from the provider: they continue to exist without it. */
  async handOver(requirement: AccessRequirement, signal: AbortSignal): Promise<void> {
    const body = { metadata: { labels: handedOverLabels() } };
    await this.#options.pool.close(idOf(requirement.place));
    if (requirement.request.purpose !== undefined)
      await this.#patch(clusterRequests.ref, requirement.request, body, signal);
    await this.#patch(accessRequests.ref, requirement.place, body, signal);
  }

  /** Withdraws the preparation of a hand-over, because the object stays. */
  async keep(requirement: AccessRequirement, signal: AbortSignal): Promise<void> {
    const metadata = unpreparedMetadata;
    await this.#patch(accessRequests.ref, requirement.place, { metadata, spec: { copies: null } }, signal);
    if (requirement.request.purpose !== undefined)
      await this.#patch(clusterRequests.ref, requirement.request, { metadata }, signal);
  }

  /** The provider's requests for an object, from the cache. */
  requestsOf(key: string): readonly KubeObject[] {
    const all = [this.accessRequests, this.clusterRequests].flatMap((informer: Informer) =>
      informer.byIndex(byOwner, key),
    );
    return all.filter(request => isManagedBy(request, this.#options.provider));
  }

  /** Deletes this request, by uid; a request that does not exist is no error. */
  async delete(
    ref: ResourceRef,
    { uid, ...place }: Place & { readonly uid?: string | undefined },
    signal: AbortSignal,
  ) {
    const preconditions = uid === undefined ? {} : { uid };
    await this.#options.platform.delete({ ...ref, ...place }, { signal, preconditions }).catch(ignoreNotFound);
  }

  /** Returns the cluster of a requirement; undefined when there is none. */
  async clusterOf({ request, cluster }: AccessRequirement, signal: AbortSignal): Promise<Place | undefined> {
    // A request gets its cluster once, so that the cached value is final.
    const known = cluster ?? this.clusterRequests.get(request.namespace, request.name)?.status?.cluster;
    if (known !== undefined) return known;
    const found = await this.#get<ClusterRequest>(clusterRequests.ref, request, signal);
    return found?.status?.cluster;
  }

  /** Whether a cluster exists. */
  async hasCluster(cluster: Place, signal: AbortSignal): Promise<boolean> {
    return (await this.#get(clusters.ref, cluster, signal)) !== undefined;
  }

  /** Reads the credentials of a connection again. */
  renew(connectionId: string): Promise<void> {
    return this.#options.pool.refresh(connectionId);
  }

  #isRequested({ request, cluster }: AccessRequirement): boolean {
    return cluster !== undefined || this.clusterRequests.get(request.namespace, request.name) !== undefined;
  }

  async #request(requirement: AccessRequirement, signal: AbortSignal): Promise<boolean> {
    const wanted = clusterRequestFor(requirement, this.#options.provider);
    if (wanted === undefined) return true;
    const { namespace, name } = requirement.request;
    const known =
      this.clusterRequests.get(namespace, name) ?? (await this.#get(clusterRequests.ref, { namespace, name }, signal));
    if (known === undefined) await this.#apply(clusterRequests.plural, wanted, signal);
    else await this.#claim('ClusterRequest', clusterRequests.ref, { known, requirement, signal });
    return true;
  }

  async #ask(requirement: AccessRequirement, signal: AbortSignal): Promise<AccessRequest> {
    const wanted = accessRequestFor(requirement, this.#options.provider);
    const { namespace, name } = requirement.place;
    const cached = this.accessRequests.get(namespace, name);
    const known = cached ?? (await this.#get<AccessRequest>(accessRequests.ref, requirement.place, signal));
    if (known !== undefined) await this.#claim('AccessRequest', accessRequests.ref, { known, requirement, signal });
    if (known !== undefined && (isAsWanted(known, wanted) || isDeleting(known))) return known;
    return (await this.#apply(accessRequests.plural, wanted, signal)) as AccessRequest;
  }

  async #stateOf(requirement: AccessRequirement, request: AccessRequest, signal: AbortSignal): Promise<AccessState> {
    const { namespace } = requirement.place;
    const { phase = 'Pending', secretRef, observedGeneration } = request.status ?? {};
    if (isDeleting(request)) return waiting(requirement, 'it is being deleted');
    if (phase === 'Denied') throw denied(requirement, request);
    const isUpToDate = observedGeneration === undefined || observedGeneration === request.metadata.generation;
    if (phase !== 'Granted' || !isUpToDate || secretRef === undefined) {
      return waiting(requirement, pendingReason(request));
    }
    const secret = { namespace, name: secretRef.name };
    return { type: 'ready', connection: await this.#options.pool.connect(idOf(requirement.place), secret, signal) };
  }

  /** A cluster that was never assigned, or is deleted, has no content. */
  async #isClusterRemoved(requirement: AccessRequirement, signal: AbortSignal): Promise<boolean> {
    const { request, cluster } = requirement;
    const given = cluster ?? (await this.#get<ClusterRequest>(clusterRequests.ref, request, signal))?.status?.cluster;
    return given === undefined || !(await this.hasCluster(given, signal));
  }

  async #delete(kind: string, ref: ResourceRef, place: Place, signal: AbortSignal): Promise<string | undefined> {
    const { namespace, name } = place;
    const found = await this.#get(ref, place, signal);
    // An object of another creator under our name is not ours to delete.
    if (found === undefined || !isManagedBy(found, this.#options.provider)) return undefined;
    if (!isDeleting(found)) await this.delete(ref, { namespace, name, uid: found.metadata.uid }, signal);
    return (await this.#get(ref, place, signal)) === undefined ? undefined : `${kind} ${namespace}/${name}`;
  }

  /**
   * Takes back a request that the object itself had handed over. Rejects with `NotManaged` when another owner has it.
   */
  async #claim(
    kind: string,
    ref: ResourceRef,
    { known, requirement, signal }: { known: KubeObject; requirement: AccessRequirement; signal: AbortSignal },
  ): Promise<void> {
    const { provider } = this.#options;
    const { namespace = '', name = '' } = known.metadata;
    if (isManagedBy(known, provider)) return;
    if (isHandedOver(known, requirement, provider)) {
      const metadata = { uid: known.metadata.uid, labels: takenBackLabels(provider) };
      await this.#patch(ref, { namespace, name }, { metadata }, signal);
      return;
    }
    throw new ChandleryError('NotManaged', `${kind} ${namespace}/${name} is not managed by this provider`, {
      hint: `Delete it, or give it the label ${sdkNames.managedByLabel}=${shorten(provider)}.`,
    });
  }

  async #patch(ref: ResourceRef, { namespace, name }: Place, body: JsonObject, signal: AbortSignal): Promise<void> {
    const fieldManager = fieldManagerOf(this.#options.provider);
    const at = { ...ref, namespace, name };
    await this.#options.platform.patch(at, { type: 'merge', body }, { fieldManager, signal }).catch(ignoreNotFound);
  }

  async #get<T extends KubeObject>(ref: ResourceRef, { namespace, name }: Place, signal: AbortSignal) {
    const at: ObjectRef = { ...ref, namespace, name };
    return this.#options.platform.get<T>(at, { signal }).catch(ignoreNotFound);
  }

  async #apply(plural: string, object: KubeObject, signal: AbortSignal): Promise<KubeObject> {
    const { platform, provider } = this.#options;
    const [applied = object] = await apply(platform, fieldManagerOf(provider), [{ plural, object }], { signal });
    return applied;
  }
}

/** The index of requests by the object that they are for. */
const byOwner = 'owner';

function ownerKeysOf(annotations: Readonly<Record<string, string>> = {}): readonly string[] {
  const key = annotations[sdkNames.objectAnnotation];
  return key === undefined ? [] : [key];
}

function isAsWanted(known: AccessRequest, wanted: AccessRequest): boolean {
  const policyOf = ({ metadata }: AccessRequest) => metadata.annotations?.[sdkNames.policyAnnotation];
  return isSameJson(known.spec.token, wanted.spec.token) && policyOf(known) === (policyOf(wanted) ?? policyOf(known));
}

const idOf = ({ namespace, name }: Place): string => `${namespace}/${name}`;
const placeOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): Place => ({ namespace, name });

const waiting = ({ title, place }: AccessRequirement, why: string): AccessState => ({
  type: 'waiting',
  message: `Waiting for access to ${title}: AccessRequest ${idOf(place)}, ${why}.`,
});

/** Says that a request is pending, with its own explanation. */
function pendingReason(request: AccessRequest): string {
  const why = conditionsOf(request).find(({ type, status }) => type === 'Ready' && status === 'False')?.message;
  return why === undefined ? 'it is pending' : `it is pending: ${why.replace(/\.$/, '')}`;
}

const noControlPlane = ({ object }: AccessRequirement): string =>
  `There is no control plane "${object?.name}" in namespace "${object?.namespace}"; create a ControlPlane of this name.`;

function denied({ title, place }: AccessRequirement, request: AccessRequest): ChandleryError {
  const why = conditionsOf(request).find(({ status }) => status !== 'True')?.message;
  const because = why ? `: ${why}` : '';
  return new ChandleryError('AccessDenied', `access to ${title} was denied${because}`, {
    hint: `See AccessRequest ${idOf(place)} on the platform cluster.`,
  });
}
