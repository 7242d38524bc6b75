import { apiError, ChandleryError } from '@chandlery/api';
import { credentialsOfRequest } from '@chandlery/http';
import {
  type Authenticator,
  forbidden,
  type Kernel,
  parseServiceAccountUsername,
  platformCluster,
  type UserInfo,
} from '@chandlery/kernel';
import { anonymousIdentity, RequestAuthorizer } from '@chandlery/kubernetes';
import type { Authorizer, ResourceAttributes } from '@chandlery/mesh';

export interface MeshGuardOptions {
  readonly kernel: Kernel;
  readonly authenticator: Authenticator;
  /** The logical cluster of a member of a mesh; undefined when another server has it, or when it does not exist. */
  readonly logicalNameOf: (member: string) => Promise<string | undefined>;
}

/**
 * Authorizes by the roles of the logical cluster, as for its Kubernetes API; a service account may always act for
 * itself. For clusters of other servers, whose roles are not readable, the roles of the platform cluster apply, on
 * `meshes/<what>`. Only members of the platform cluster get that error: for all others, a missing cluster looks like
 * any other.
 */
export function createMeshGuard({ kernel, authenticator, logicalNameOf }: MeshGuardOptions): Authorizer {
  const authorizer = new RequestAuthorizer({ kernel, authenticator });
  return async (request, wish) => {
    const logical = await logicalNameOf(wish.cluster);
    const { cluster, ...attributes } = logical === undefined ? onPlatform(wish) : { ...wish, cluster: logical };
    const { namespace, name, resource, subresource } = attributes;
    if (resource === 'serviceaccounts' && subresource === 'token') {
      const user = await authenticator.authenticate(credentialsOfRequest(request), cluster);
      if (user.username === `system:serviceaccount:${namespace}:${name}`) return;
    }
    const identity = anonymousIdentity();
    try {
      const { view } = await authorizer.authorize(identity, { request, cluster, attributes, isOpen: false });
      if (view !== undefined) throw noMesh(cluster, view.base);
    } catch (refusal) {
      const isTold =
        logical !== undefined || !isForbidden(refusal) || (await isOfPlatform(kernel, identity.authenticated));
      throw isTold ? refusal : forbidden(identity.authenticated, wish);
    }
  };
}

/** A view runs nothing and shares the rows of its base: it has neither proxies nor identities of its own. */
const noMesh = (cluster: string, base: string): Error =>
  apiError('NotFound', `logical cluster "${cluster}" is a view and has no mesh; ask for that of "${base}", its base`);

const isForbidden = (refusal: unknown): boolean => refusal instanceof ChandleryError && refusal.code === 'Forbidden';

async function isOfPlatform(kernel: Kernel, user: UserInfo): Promise<boolean> {
  const access = await kernel.access.of(platformCluster);
  return access.isMember(user, { isOwnServiceAccount: parseServiceAccountUsername(user.username) !== undefined });
}

/**
 * The service accounts of the cluster are unknown here, and must not be confused with those of the platform cluster.
 */
const onPlatform = ({ verb, resource }: ResourceAttributes): ResourceAttributes => ({
  cluster: platformCluster,
  verb,
  group: 'mesh.chandlery.io',
  resource: 'meshes',
  subresource: resource,
});
