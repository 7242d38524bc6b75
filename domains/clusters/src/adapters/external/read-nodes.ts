import { isError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { describeNodes, type Finding, isSchedulable, type NodeState } from '../../model/clusters/run-health.ts';

const nodes = { group: '', version: 'v1', plural: 'nodes' };
const pageSize = 50;

/** Whether a cluster has a schedulable node. Reads no further than the first one. */
export async function readNodes(client: Pick<Client, 'listAll'>, signal: AbortSignal): Promise<Finding> {
  let isAny = false;
  try {
    for await (const node of client.listAll<KubeObject & NodeState>(nodes, { signal, limit: pageSize })) {
      isAny = true;
      if (isSchedulable(node)) return describeNodes({ isAny, isSchedulable: true });
    }
  } catch (error) {
    if (isError(error, 'Forbidden')) return unreadable;
    // An API server without nodes.
    if (!isError(error, 'NotFound')) throw error;
  }
  return describeNodes({ isAny, isSchedulable: false });
}

const unreadable: Finding = {
  status: 'Unknown',
  reason: 'NodesUnreadable',
  message: 'The kubeconfig does not allow listing nodes, so nothing is known of them; grant it "list" on nodes.',
};
