import { ordersGroup } from './common.ts';
import { ordersKinds } from './orders-kinds.ts';

const read = ['get', 'list', 'watch'];
const write = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Kinds that only the landscape itself writes. */
const readOnly: readonly string[] = [ordersKinds.history.plural, ordersKinds.jobEvents.plural];

const plurals = Object.values(ordersKinds).map(({ plural }) => plural);

/**
 * What consumers may do. Statuses are not among it: digests, workflows and orderers are there, and a tenant that wrote them could
 * refer to what belongs to other tenants.
 */
export const consumerRules = [
  { apiGroups: [ordersGroup], resources: plurals, verbs: read },
  { apiGroups: [ordersGroup], resources: plurals.filter(plural => !readOnly.includes(plural)), verbs: write },
];
