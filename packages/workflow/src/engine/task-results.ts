import type { TaskResults } from '../expressions/index.ts';
import type { Core } from './core.ts';
import type { NodeStatus } from './node-status.ts';

/** What the conditions of other tasks see of a task that is done. */
export function taskResults(core: Core, node: NodeStatus | undefined): TaskResults {
  const phase = node?.phase;
  const items = node?.type === 'TaskGroup' ? core.nodes.childrenOf(node) : [];
  return {
    Succeeded: phase === 'Succeeded',
    Failed: phase === 'Failed',
    Errored: phase === 'Error',
    Skipped: phase === 'Skipped',
    Omitted: phase === 'Omitted',
    Daemoned: node?.daemoned === true && phase !== 'Pending',
    AnySucceeded: items.some(item => item.phase === 'Succeeded'),
    AllFailed: items.length > 0 && items.every(item => item.phase === 'Failed'),
  };
}
