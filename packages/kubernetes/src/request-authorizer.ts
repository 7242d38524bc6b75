import { apiError, notFound } from '@chandlery/api';
import { credentialsOfRequest } from '@chandlery/http';
import {
  type Authenticator,
  anonymous,
  authorizeImpersonation,
  type ClusterAccess,
  forbidden,
  isMaster,
  isPathRequest,
  type Kernel,
  parseImpersonation,
  parseServiceAccountUsername,
  type RequestAttributes,
  type UserInfo,
  type View,
  type Visibility,
} from '@chandlery/kernel';
import type { FastifyRequest } from 'fastify';

/** Who stands behind a request, as far as the gate has got: refusals are recorded with it too. */
export interface Visitor {
  /** Who is authenticated. */
  asker: UserInfo;
  /** As whom the request is treated. */
  user: UserInfo;
}

/** A visitor of whom nothing is known yet. */
export const stranger = (): Visitor => ({ asker: anonymous, user: anonymous });

/** A request and what it wants, before anybody has looked who makes it. */
export interface Entry {
  readonly request: FastifyRequest;
  readonly cluster: string;
  readonly attributes: RequestAttributes;
  /** Every member may do this. */
  readonly isOpen: boolean;
}

/** What a request that was let in is answered from. */
export interface Admitted {
  /** The rights that count: those of the logical cluster that holds the objects. */
  readonly access: ClusterAccess;
  /** The logical cluster that holds the objects: the one that was asked, or the base of a view. */
  readonly home: string;
  /** Undefined: the logical cluster holds its objects itself. */
  readonly view: View | undefined;
  /** The part of the collection that is shown. Undefined: all of it, or that of the view. */
  readonly visibility: Visibility | undefined;
}

/** Decides who a request is made by and whether that one may: who, member, in whose name, rights. */
export class Gate {
  readonly #kernel: Kernel;
  readonly #authenticator: Authenticator;

  constructor({ kernel, authenticator }: { readonly kernel: Kernel; readonly authenticator: Authenticator }) {
    this.#kernel = kernel;
    this.#authenticator = authenticator;
  }

  /** Lets the request in or throws; fills in the visitor on the way. */
  async admit(visitor: Visitor, { request, cluster, attributes, isOpen }: Entry): Promise<Admitted> {
    const view = await this.#kernel.views.find(cluster);
    const home = view?.base ?? cluster;
    visitor.asker = await this.#authenticator.authenticate(credentialsOfRequest(request), home);
    visitor.user = visitor.asker;
    const access = await this.#accessOf({ cluster, home, view }, visitor.asker, attributes);
    visitor.user = impersonated(request, access, visitor.asker);
    const { asker, user } = visitor;
    if (user !== asker && !isMaster(asker)) await checkMember({ access, view }, user, attributes);
    const visibility = isOpen ? undefined : await this.#authorize({ access, home, view }, user, attributes);
    return { access, home, view, visibility };
  }

  /** Throws unless the user may. Gives the part of a collection that is shown to those who may not have all of it. */
  async #authorize(
    { access, home, view }: Omit<Admitted, 'visibility'>,
    user: UserInfo,
    attributes: RequestAttributes,
  ): Promise<Visibility | undefined> {
    if (view !== undefined) {
      const kinds = view.kindsOf(await this.#kernel.registry.of(home));
      if (await view.allows(access, user, attributes, kinds)) return undefined;
      throw forbidden(user, attributes);
    }
    if (access.authorize(user, attributes).allowed) return undefined;
    const visibility = await this.#partial(home, user, attributes);
    if (visibility === undefined) throw forbidden(user, attributes);
    return visibility;
  }

  /** Lists and watches of a whole collection whose kind shows everybody their own part of it. */
  async #partial(home: string, user: UserInfo, attributes: RequestAttributes): Promise<Visibility | undefined> {
    if (isPathRequest(attributes) || !partialVerbs.has(attributes.verb)) return undefined;
    const { group, resource, subresource, namespace = '', name = '', verb } = attributes;
    if (namespace !== '' || name !== '' || subresource !== undefined) return undefined;
    const kind = (await this.#kernel.registry.of(home)).get(`${group}/${resource}`)?.kind;
    return kind && this.#kernel.views.partial(home, kind, user, verb);
  }

  /** Strangers learn nothing, not even whether the logical cluster exists. */
  async #accessOf(
    { cluster, home, view }: Pick<Admitted, 'home' | 'view'> & { readonly cluster: string },
    asker: UserInfo,
    attributes: RequestAttributes,
  ): Promise<ClusterAccess> {
    if ((await this.#kernel.clusters.find(cluster)) === undefined) {
      if (isMaster(asker)) throw notFound({ group: 'core.chandlery.io', resource: 'logicalclusters' }, cluster);
      throw forbidden(asker, attributes);
    }
    const access = await this.#kernel.access.of(home);
    await checkMember({ access, view }, asker, attributes);
    return access;
  }
}

const partialVerbs = new Set(['list', 'watch']);

async function checkMember(
  { access, view }: Pick<Admitted, 'access' | 'view'>,
  user: UserInfo,
  attributes: RequestAttributes,
): Promise<void> {
  const isServiceAccount = parseServiceAccountUsername(user.username) !== undefined;
  if (view === undefined) {
    if (!access.isMember(user, { isOwnServiceAccount: isServiceAccount })) throw forbidden(user, attributes);
    return;
  }
  if (await view.isMember(access, user)) return;
  // A service account is told the same by every logical cluster that is not its own, whether it exists or not.
  throw isServiceAccount ? apiError('Unauthorized', 'Unauthorized') : forbidden(user, attributes);
}

function impersonated(request: FastifyRequest, access: ClusterAccess, asker: UserInfo): UserInfo {
  // Node makes the distinct headers anew for each request that asks for them; few do.
  if (!Object.keys(request.headers).some(name => name.startsWith('impersonate-'))) return asker;
  const wanted = parseImpersonation(request.raw.headersDistinct);
  return wanted === undefined ? asker : authorizeImpersonation(access, asker, wanted);
}
