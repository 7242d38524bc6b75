import type { ActionDeps } from './action-deps.ts';
import { changeOwner } from './change-owner.ts';
import { createInstance } from './create-instance.ts';
import type { FleetActions } from './fleet-actions.ts';
import { createUserSeen } from './user-seen.ts';

/** The use cases of ordering: what users do to instances, besides deleting them. */
export const createOrderActions = (deps: ActionDeps): Pick<FleetActions, 'create' | 'changeOwner' | 'userSeen'> => ({
  create: (product, caller, request) => createInstance(deps, product, { caller, request }),
  changeOwner: (product, caller, change) => changeOwner(deps, product, { caller, ...change }),
  userSeen: createUserSeen(deps),
});
