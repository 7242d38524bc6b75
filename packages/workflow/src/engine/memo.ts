import { durationMs } from '../document/durations.ts';
import type { Outputs } from '../document/parameters.ts';
import type { Memoize } from '../document/template.ts';
import { WorkflowError } from '../errors.ts';
import { plainText } from '../template/inert.ts';
import type { Core } from './core.ts';
import type { NodeStatus } from './node-status.ts';

const cacheOf = ({ cache }: Memoize): string => cache?.configMap?.name ?? '';

/** Asks the cache for outputs of an earlier execution. */
export function requestMemo(
  core: Core,
  node: string,
  memoize: Memoize,
  isExitHandler: boolean,
  found: (outputs: Outputs | undefined) => void,
): void {
  const maxAgeMs = memoize.maxAge === undefined || memoize.maxAge === '' ? undefined : maxAgeOf(memoize.maxAge);
  const request = { kind: 'memoGet', node, cache: cacheOf(memoize), key: plainText(memoize.key) } as const;
  core.receivers.set(node, {
    isExitHandler,
    observe: observation => {
      if (observation.kind !== 'memo') return;
      core.receivers.delete(node);
      found(observation.outputs);
    },
  });
  core.act(maxAgeMs === undefined ? request : { ...request, maxAgeMs });
}

function maxAgeOf(text: string): number {
  if (/^\d+$/.test(text))
    throw new WorkflowError('invalid-document', `invalid maxAge: time: missing unit in duration "${text}"`);
  return durationMs(text);
}

/** Notes on a node what the cache gave; a hit ends it. */
export function memoHit(core: Core, node: NodeStatus, memoize: Memoize, outputs: Outputs | undefined): void {
  core.nodes.update(node, changed => {
    changed.memoizationStatus = {
      hit: outputs !== undefined,
      key: plainText(memoize.key),
      cacheName: cacheOf(memoize),
    };
    if (outputs !== undefined) changed.outputs = outputs;
  });
  if (outputs === undefined) return;
  core.nodes.mark(node, 'Succeeded', '');
  core.exportOutputs(outputs);
}

/** Stores the outputs of a node that succeeded. */
export function putMemo(core: Core, node: NodeStatus): void {
  const memo = node.memoizationStatus;
  if (memo === undefined || memo.hit) return;
  core.act({ kind: 'memoPut', node: node.name, cache: memo.cacheName, key: memo.key, outputs: node.outputs });
}
