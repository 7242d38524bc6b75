import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { consumerRole, ordersGroup, ordersKinds } from './kinds/index.ts';

const clusterRoles = { group: 'rbac.authorization.k8s.io', version: 'v1', plural: 'clusterroles' };

const read = ['get', 'list', 'watch'];
const write = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Kinds that only the landscape itself writes. */
const readOnly: readonly string[] = [ordersKinds.history.plural, ordersKinds.jobEvents.plural];

const plurals = Object.values(ordersKinds).map(({ plural }) => plural);

/**
 * What consumers may do. Statuses are not among it: digests, workflows and orderers are there, and a tenant that wrote them could
 * refer to what belongs to other tenants.
 */
const rules = [
  { apiGroups: [ordersGroup], resources: plurals, verbs: read },
  { apiGroups: [ordersGroup], resources: plurals.filter(plural => !readOnly.includes(plural)), verbs: write },
];

/** Makes the ClusterRole of those who use services and orders, unless it is there. Operators may change it. */
export async function ensureConsumerRole(client: Pick<Client, 'create'>): Promise<void> {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: consumerRole },
    rules,
  };
  try {
    await client.create(clusterRoles, role);
  } catch (error) {
    if (!isError(error, 'AlreadyExists')) throw error;
  }
}
