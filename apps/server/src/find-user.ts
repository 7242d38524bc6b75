import type { FindUser, UserCaller } from '@chandlery/brokers';
import { brokersCluster, brokersGroup } from '@chandlery/brokers/kinds';
import { credentialsOfRequest } from '@chandlery/http';
import {
  type Authenticator,
  type ClusterAccess,
  isMaster,
  type Kernel,
  type UserInfo,
  wellKnown,
} from '@chandlery/kernel';

/**
 * Identifies callers for the service manager: a user with all rights on its kinds is an operator; others have the rights
 * of their roles in the namespaces of the onboarding cluster.
 */
export const createFindUser =
  (kernel: Kernel, authenticator: Authenticator): FindUser =>
  async ({ raw }) => {
    const user = await authenticator.authenticate(credentialsOfRequest(raw), brokersCluster);
    if (user.username === wellKnown.anonymousUser) return undefined;
    const { username, groups } = user;
    if (isMaster(user)) return { type: 'operator', username, groups };
    const access = await kernel.access.of(brokersCluster);
    const isOperator = access.authorize(user, { verb: '*', group: brokersGroup, resource: '*', namespace: '' }).allowed;
    return isOperator ? { type: 'operator', username, groups } : userCaller(user, access);
  };

function userCaller(user: UserInfo, access: ClusterAccess): UserCaller {
  const may = (verb: string, resource: string, namespace: string): boolean =>
    access.authorize(user, { verb, group: brokersGroup, resource, namespace }).allowed;
  return {
    type: 'user',
    username: user.username,
    groups: user.groups,
    may,
    tenants: plural => access.namespacesOf(user).filter(namespace => may('list', plural, namespace)),
  };
}
