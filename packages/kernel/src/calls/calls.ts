import { isError, type JsonValue, type KubeObject } from '@chandlery/api';
import type { ClusterAccess } from '../access/cluster-access.ts';
import type { UserInfo } from '../access/user.ts';
import { type Browsed, type BrowseQuery, browse, openEntries, prepareBrowse, readEntry } from '../browse/browse.ts';
import type { EntryKey } from '../browse/entry.ts';
import { applyObject } from '../resources/apply.ts';
import { createObject } from '../resources/create.ts';
import { type DeleteOptions, deleteObject } from '../resources/delete.ts';
import { deleteCollection } from '../resources/delete-collection.ts';
import { updateObject } from '../resources/mutate.ts';
import type { Endpoint } from '../resources/ownership.ts';
import { type PatchRequest, patchObject } from '../resources/patch.ts';
import { getObject, type ListRequest, type OpenList, openList } from '../resources/read.ts';
import type { ResourceDeps, Target, WriteOptions } from '../resources/request.ts';
import { getScale, patchScale, updateScale } from '../resources/scale.ts';
import type { Served } from '../resources/served.ts';
import { asKubeObject } from '../resources/shape.ts';
import { type Watch, type WatchRequest, type WatchSink, watchObjects } from '../resources/watch.ts';
import {
  getRevision,
  listRevisions,
  type PastTarget,
  type RevisionChoice,
  type ServedRevisions,
} from '../revisions/read-revisions.ts';
import { authorizeCreation } from './authorize-creation.ts';
import { createSubresource } from './create-subresource.ts';
import { objectOfBody } from './request-rules.ts';
import { deletedStatus } from './status.ts';

/** A call whose target is resolved and that its user is authorised to make. */
export interface AuthorizedCall {
  readonly target: Target;
  /** The rights that writes of roles and bindings are checked against. Undefined: a write of the landscape itself. */
  readonly access?: ClusterAccess | undefined;
}

/** How a call writes; whose rights count is decided by the call. */
export type CallOptions = Omit<WriteOptions, 'user' | 'access'>;

/** What a write of one object did. */
export interface WriteResult {
  readonly served: Served;
  readonly isCreated: boolean;
}

const scaleType = { apiVersion: 'autoscaling/v1', kind: 'Scale' };

/**
 * The calls of one user: the only way from a lens or an in-process client to the resources, so
 * that the rules of a call exist once. Callers resolve the target and authorise the call first, because a lens does so
 * before it reads a body. Bodies belong to the call from then on and may be changed by it.
 */
export class Calls {
  readonly #deps: ResourceDeps;
  readonly #user: UserInfo;

  constructor(deps: ResourceDeps, user: UserInfo) {
    this.#deps = deps;
    this.#user = user;
  }

  get(target: Target, resourceVersion?: string): Promise<Served> {
    return getObject(this.#deps, target, resourceVersion);
  }

  /**
   * The versions that an object has and had. Takes the right to get it; those of earlier objects of its name are for users
   * who may get any name there.
   */
  revisions(
    call: AuthorizedCall,
    page: { readonly limit: number; readonly upTo?: number | undefined },
  ): Promise<ServedRevisions> {
    return listRevisions(this.#deps, this.#pastOf(call), page);
  }

  /** An object as it was. Takes the same rights as {@link revisions}. */
  revision(call: AuthorizedCall, choice: RevisionChoice): Promise<Served> {
    return getRevision(this.#deps, this.#pastOf(call), choice);
  }

  list(target: Target, request: ListRequest): Promise<OpenList> {
    return openList(this.#deps, target, request);
  }

  /** A page of a collection as people browse it, and its counts. Takes the right to list; see {@link browse}. */
  browse(target: Target, query: BrowseQuery): Promise<Browsed | undefined> {
    return browse(this.#deps, target, query);
  }

  /** Resolves when a collection can be browsed without being read first. */
  prepareBrowse(target: Target): Promise<void> {
    return prepareBrowse(this.#deps, target);
  }

  /** The objects of a browsed page. */
  openEntries(target: Target, entries: readonly EntryKey[]): Promise<Pick<OpenList, 'items' | 'rest'>> {
    return openEntries(this.#deps, target, entries);
  }

  /** One object of a browsed page; undefined when it no longer exists. */
  readEntry(target: Target, entry: EntryKey): Promise<Served | undefined> {
    return readEntry(this.#deps, target, entry);
  }

  watch(target: Target, request: WatchRequest, sink: WatchSink): Promise<Watch> {
    return watchObjects(this.#deps, target, request, sink);
  }

  create(call: AuthorizedCall, options: CallOptions, body: JsonValue): Promise<Served> {
    const object = objectOfBody(call.target.resource, body);
    return createObject(this.#deps, call.target, this.#write(call, options), object);
  }

  createSubresource(
    call: AuthorizedCall & { readonly subresource: string },
    options: CallOptions,
    body: JsonValue,
  ): Promise<KubeObject> {
    return createSubresource(this.#deps, call, this.#write(call, options), body);
  }

  update(
    call: AuthorizedCall,
    options: CallOptions,
    request: { readonly endpoint: Endpoint; readonly body: JsonValue },
  ): Promise<Served> {
    const { endpoint, body } = request;
    const object = objectOfBody(call.target.resource, body);
    return updateObject(this.#deps, call.target, this.#write(call, options), { endpoint, body: object });
  }

  /** Updates an object; creates it where its kind allows that, which takes the right to create. */
  async updateOrCreate(
    call: AuthorizedCall,
    options: CallOptions,
    request: { readonly endpoint: Endpoint; readonly body: JsonValue },
  ): Promise<WriteResult> {
    const { target } = call;
    const mayCreate = request.endpoint === '' && (target.resource.kind.declaration.allowsCreateOnUpdate ?? false);
    try {
      return { served: await this.update(call, options, request), isCreated: false };
    } catch (error) {
      if (!mayCreate || !isMissing(error, target)) throw error;
    }
    await authorizeCreation(this.#deps.store, { user: this.#user, access: call.access }, target);
    return { served: await this.create(call, options, request.body), isCreated: true };
  }

  patch(call: AuthorizedCall, options: CallOptions, request: PatchRequest): Promise<Served> {
    return patchObject(this.#deps, call.target, this.#write(call, options), request);
  }

  /** Server-side apply. Applying a missing object creates it, which takes the right to create. */
  async apply(
    call: AuthorizedCall,
    options: CallOptions,
    request: { readonly endpoint: Endpoint; readonly body: JsonValue; readonly force: boolean },
  ): Promise<WriteResult> {
    await authorizeCreation(this.#deps.store, { user: this.#user, access: call.access }, call.target);
    const { endpoint, body, force } = request;
    const apply = { endpoint, applied: asKubeObject(body), force };
    return applyObject(this.#deps, call.target, this.#write(call, options), apply);
  }

  /** Deletes an object. The response is its status where it no longer exists, except for pods, and the object otherwise. */
  async delete(
    call: AuthorizedCall,
    options: CallOptions,
    request: DeleteOptions,
  ): Promise<{ readonly served: Served; readonly status: KubeObject | undefined }> {
    const { target } = call;
    const { served, isRemoved } = await deleteObject(this.#deps, target, this.#write(call, options), request);
    const isShown = !isRemoved || target.resource.kind.resource === '/pods';
    return { served, status: isShown ? undefined : deletedStatus(target, served.object.metadata.uid) };
  }

  deleteCollection(
    call: AuthorizedCall,
    options: CallOptions,
    request: { readonly request: ListRequest; readonly options: DeleteOptions },
  ): Promise<OpenList> {
    return deleteCollection(this.#deps, call.target, this.#write(call, options), request);
  }

  getScale(target: Target): Promise<KubeObject> {
    return getScale(this.#deps, target);
  }

  updateScale(call: AuthorizedCall, options: CallOptions, body: JsonValue): Promise<KubeObject> {
    return updateScale(this.#deps, call.target, this.#write(call, options), asKubeObject(body, scaleType));
  }

  patchScale(
    call: AuthorizedCall,
    options: CallOptions,
    request: Pick<PatchRequest, 'type' | 'patch'>,
  ): Promise<KubeObject> {
    return patchScale(this.#deps, call.target, this.#write(call, options), request);
  }

  /** A right on a name is one on the object that has it now: the earlier ones may have been those of others. */
  #pastOf({ target, access }: AuthorizedCall): PastTarget {
    const { namespace, resource } = target;
    const anyName = { verb: 'get', ...resource.kind.groupResource, namespace };
    return { ...target, hasEarlier: access === undefined || access.authorize(this.#user, anyName).allowed };
  }

  #write({ access }: AuthorizedCall, options: CallOptions): WriteOptions {
    return access === undefined ? { ...options, user: this.#user } : { ...options, user: this.#user, access };
  }
}

const isMissing = (error: unknown, { name, resource: { kind } }: Target): boolean =>
  isError(error, 'NotFound') && error.details.name === name && error.details.kind === kind.plural;
