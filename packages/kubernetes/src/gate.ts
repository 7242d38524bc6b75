import { notFound } from '@chandlery/api';
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

/** Decides who a request is made by and whether that one may: who, member, in whose name, rights. */
export class Gate {
  readonly #kernel: Kernel;
  readonly #authenticator: Authenticator;

  constructor({ kernel, authenticator }: { readonly kernel: Kernel; readonly authenticator: Authenticator }) {
    this.#kernel = kernel;
    this.#authenticator = authenticator;
  }

  /** Lets the request in or throws; fills in the visitor on the way. */
  async admit(visitor: Visitor, { request, cluster, attributes, isOpen }: Entry): Promise<ClusterAccess> {
    visitor.asker = await this.#authenticator.authenticate(credentialsOfRequest(request), cluster);
    visitor.user = visitor.asker;
    const access = await this.#accessOf(cluster, visitor.asker, attributes);
    visitor.user = impersonated(request, access, visitor.asker);
    const { asker, user } = visitor;
    if (user !== asker && !isMaster(asker)) checkMember(access, user, attributes);
    if (!access.authorize(user, attributes).allowed && !isOpen) throw forbidden(user, attributes);
    return access;
  }

  /** Strangers learn nothing, not even whether the logical cluster exists. */
  async #accessOf(cluster: string, asker: UserInfo, attributes: RequestAttributes): Promise<ClusterAccess> {
    if ((await this.#kernel.clusters.find(cluster)) === undefined) {
      if (isMaster(asker)) throw notFound({ group: 'core.chandlery.io', resource: 'logicalclusters' }, cluster);
      throw forbidden(asker, attributes);
    }
    const access = await this.#kernel.access.of(cluster);
    checkMember(access, asker, attributes);
    return access;
  }
}

function checkMember(access: ClusterAccess, user: UserInfo, attributes: RequestAttributes): void {
  const isOwnServiceAccount = parseServiceAccountUsername(user.username) !== undefined;
  if (!access.isMember(user, { isOwnServiceAccount })) throw forbidden(user, attributes);
}

function impersonated(request: FastifyRequest, access: ClusterAccess, asker: UserInfo): UserInfo {
  // Node makes the distinct headers anew for each request that asks for them; few do.
  if (!Object.keys(request.headers).some(name => name.startsWith('impersonate-'))) return asker;
  const wanted = parseImpersonation(request.raw.headersDistinct);
  return wanted === undefined ? asker : authorizeImpersonation(access, asker, wanted);
}
