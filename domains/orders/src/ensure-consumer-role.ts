import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { consumerRole, consumerRules } from './kinds/index.ts';

const clusterRoles = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };

/** Makes the ClusterRole of those who use services and orders, unless it is there. Operators may change it. */
export async function ensureConsumerRole(client: Pick<Client, 'create'>): Promise<void> {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: consumerRole },
    rules: consumerRules,
  };
  try {
    await client.create(clusterRoles, role);
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
  }
}
