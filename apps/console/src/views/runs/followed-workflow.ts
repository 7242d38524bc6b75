import { useEffect, useState } from 'react';
import { ApiFailure } from '../../api/api-failure.ts';
import { lostConnections, pause } from '../../api/follow.ts';
import { linesOf } from '../../api/watch.ts';
import { isEndedOrder, type OrderObject, openWorkflow } from './order.ts';
import type { WorkflowObject } from './workflow.ts';

interface FollowedWorkflow {
  readonly workflow?: WorkflowObject;
  readonly error?: unknown;
}

const retryMs = 2000;

/** The Workflow of an order, followed until the order ends. The server sends at most four states in a second. */
export function useFollowedWorkflow(order: OrderObject): FollowedWorkflow {
  const [state, setState] = useState<FollowedWorkflow>({});
  const { uid } = order.metadata;
  const isEnded = isEndedOrder(order);
  const { retries = 0 } = order.status ?? {};
  useEffect(() => {
    const stop = new AbortController();
    void followWorkflow(order, { signal: stop.signal, onChange: setState });
    return () => stop.abort();
    // An order that is retried runs again: then it is followed again.
  }, [uid, isEnded, retries]);
  return state;
}

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly onChange: (state: FollowedWorkflow) => void;
}

async function followWorkflow(order: OrderObject, { signal, onChange }: FollowOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const line of linesOf(await openWorkflow(order, signal)))
        if (!signal.aborted) onChange({ workflow: JSON.parse(line) as WorkflowObject });
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiFailure && error.status >= 400 && error.status < 500) return onChange({ error });
    }
    lostConnections.set(lostConnections.get() + 1);
    await pause(retryMs, signal);
    lostConnections.set(lostConnections.get() - 1);
  }
}
