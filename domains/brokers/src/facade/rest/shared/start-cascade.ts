import { checkCascade } from '../../../model/operations/check-cascade.ts';
import { type CascadeNode, planCascade, runningDeletionOf } from '../../../model/operations/plan-cascade.ts';
import type { PlatformRow, Registry } from '../../../model/rows.ts';
import type { SmRequest, SmResponse } from '../resource-handler.ts';

/** Deletes a resource and all that hangs on it, in the background. A cascade that already runs is answered again. */
export type StartCascade = (
  node: CascadeNode,
  request: SmRequest & { readonly isForced?: boolean },
) => Promise<SmResponse>;

/** What cascades need. */
export interface CascadeDeps {
  readonly registry: Registry;
  /** Whether the platform's proxy is connected now. */
  readonly isConnected: (platform: PlatformRow) => boolean;
}

/** Makes the one way in which cascades begin: for platforms, instances and bindings. */
export function createCascadeStart({ registry, isConnected }: CascadeDeps): StartCascade {
  return async (node, { isForced = false, correlationId, caller }) => {
    const { id } = node.row;
    const running = runningDeletionOf(registry, id);
    if (running?.spec.cascadeRootId !== undefined) return accepted(running.id, id);
    checkCascade(registry, node, node.table === 'platforms' && isConnected(node.row));
    const user = { username: caller.username };
    const { rootId, writes } = planCascade(registry, node, { isForced, correlationId, user });
    await registry.commit(writes);
    return accepted(rootId, id);
  };
}

const accepted = (operationId: string, resourceId: string): SmResponse => ({
  type: 'accepted',
  operationId,
  resourceId,
});
