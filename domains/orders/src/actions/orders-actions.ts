import type { ActionDeps } from './action-deps.ts';
import { artifactActions } from './artifacts/artifact-actions.ts';
import { aspectActions } from './aspects/aspect-actions.ts';
import { queueActions } from './queues/queue-actions.ts';
import { secretActions } from './secrets/secret-actions.ts';
import { serviceActions, type VerifyService } from './services/service-actions.ts';

/** All use cases of the records that orders work on. */
export const createOrdersActions = (
  deps: ActionDeps,
  { verifyService }: { readonly verifyService: VerifyService },
) => ({
  services: serviceActions({ ...deps, verifyService }),
  artifacts: artifactActions(deps),
  queues: queueActions(deps),
  aspects: aspectActions(deps),
  secrets: secretActions(deps),
});

export type OrdersActions = ReturnType<typeof createOrdersActions>;
