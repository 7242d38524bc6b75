import { apiError, notFound } from '@chandlery/api';
import { credentialsOfRequest } from '@chandlery/http';
import {
  type Authenticator,
  anonymous,
  authorizeImpersonation,
  type ClusterAccess,
  forbidden,
  isMaster,
  type Kernel,
  parseImpersonation,
  parseServiceAccountUsername,
  type RequestAttributes,
  type UserInfo,
  type View,
  type Visibility,
} from '@chandlery/kernel';
import type { FastifyRequest } from 'fastify';

/** The identity behind a request as far as it has been established: rejected requests are audited with it too. */
export interface RequestIdentity {
  /** The authenticated user. */
  authenticated: UserInfo;
  /** The user whose rights apply: the authenticated one, or the one that it impersonates. */
  user: UserInfo;
}

/** The identity of a request before authentication. */
export const anonymousIdentity = (): RequestIdentity => ({ authenticated: anonymous, user: anonymous });

/** A request before authentication. */
export interface IncomingRequest {
  readonly request: FastifyRequest;
  readonly cluster: string;
  readonly attributes: RequestAttributes;
  /** Whether every member of the logical cluster may make this request, without further rights. */
  readonly isOpen: boolean;
}

/** Where an authorised request is served from. */
export interface AuthorizedRequest {
  /** The rights in the logical cluster that holds the objects. */
  readonly access: ClusterAccess;
  /** The logical cluster that holds the objects: the one in the request's path, or the base of a view. */
  readonly home: string;
  /** Undefined: the logical cluster holds its objects itself. */
  readonly view: View | undefined;
  /** The part of the collection that the user sees. Undefined: all of it, or that of the view. */
  readonly visibility: Visibility | undefined;
}

/** Authenticates and authorises requests, in this order: identity, membership, impersonation, rights. */
export class RequestAuthorizer {
  readonly #kernel: Kernel;
  readonly #authenticator: Authenticator;

  constructor({ kernel, authenticator }: { readonly kernel: Kernel; readonly authenticator: Authenticator }) {
    this.#kernel = kernel;
    this.#authenticator = authenticator;
  }

  /** Authorises the request or throws; fills in the identity on the way. */
  async authorize(
    identity: RequestIdentity,
    { request, cluster, attributes, isOpen }: IncomingRequest,
  ): Promise<AuthorizedRequest> {
    const view = await this.#kernel.views.find(cluster);
    const home = view?.base ?? cluster;
    identity.authenticated = await this.#authenticator.authenticate(credentialsOfRequest(request), home);
    identity.user = identity.authenticated;
    const access = await this.#accessOf({ cluster, home, view }, identity.authenticated, attributes);
    identity.user = impersonated(request, access, identity.authenticated);
    const { authenticated, user } = identity;
    if (user !== authenticated && !isMaster(authenticated)) await checkMember({ access, view }, user, attributes);
    const visibility = isOpen ? undefined : await this.#authorizeUser({ access, home, view }, user, attributes);
    return { access, home, view, visibility };
  }

  /** Throws `Forbidden` unless the user has the rights. Returns the visible part of a collection for partial rights. */
  async #authorizeUser(
    { access, home, view }: Omit<AuthorizedRequest, 'visibility'>,
    user: UserInfo,
    attributes: RequestAttributes,
  ): Promise<Visibility | undefined> {
    if (view !== undefined) {
      const kinds = view.kindsOf(await this.#kernel.registry.of(home));
      if (await view.allows(access, user, attributes, kinds)) return undefined;
      throw forbidden(user, attributes);
    }
    return this.#kernel.authorize({ user, access, cluster: home }, attributes);
  }

  /** Callers without rights get the same response whether or not the logical cluster exists. */
  async #accessOf(
    { cluster, home, view }: Pick<AuthorizedRequest, 'home' | 'view'> & { readonly cluster: string },
    authenticated: UserInfo,
    attributes: RequestAttributes,
  ): Promise<ClusterAccess> {
    if ((await this.#kernel.clusters.find(cluster)) === undefined) {
      if (isMaster(authenticated)) throw notFound({ group: 'core.chandlery.io', resource: 'logicalclusters' }, cluster);
      throw forbidden(authenticated, attributes);
    }
    const access = await this.#kernel.access.of(home);
    await checkMember({ access, view }, authenticated, attributes);
    return access;
  }
}

async function checkMember(
  { access, view }: Pick<AuthorizedRequest, 'access' | 'view'>,
  user: UserInfo,
  attributes: RequestAttributes,
): Promise<void> {
  const isServiceAccount = parseServiceAccountUsername(user.username) !== undefined;
  if (view === undefined) {
    if (!access.isMember(user, { isOwnServiceAccount: isServiceAccount })) throw forbidden(user, attributes);
    return;
  }
  if (await view.isMember(access, user)) return;
  // A service account gets the same response from every logical cluster but its own, whether or not it exists.
  throw isServiceAccount ? apiError('Unauthorized', 'Unauthorized') : forbidden(user, attributes);
}

function impersonated(request: FastifyRequest, access: ClusterAccess, authenticated: UserInfo): UserInfo {
  // Node builds the distinct headers on access; most requests do not need them.
  if (!Object.keys(request.headers).some(name => name.startsWith('impersonate-'))) return authenticated;
  const wanted = parseImpersonation(request.raw.headersDistinct);
  return wanted === undefined ? authenticated : authorizeImpersonation(access, authenticated, wanted);
}
