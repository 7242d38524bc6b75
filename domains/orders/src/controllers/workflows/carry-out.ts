import type { Action, NodeStatus, Observation, SharedLocks } from '@chandlery/workflow';
import type { HttpSender, NodeRunner, StartRequest, WorkflowIdentity } from '../../workflow-ports.ts';
import type { MemoCache } from './memo-cache.ts';

export interface ActionDeps {
  readonly runner: NodeRunner;
  readonly locks: SharedLocks;
  readonly http: HttpSender;
  readonly memo: MemoCache;
  readonly observe: (workflowUid: string, observation: Observation) => void;
  /** Requests of http templates end with the controller. */
  readonly signal: AbortSignal;
}

/** Whose actions are carried out. */
export interface ActionContext {
  readonly workflow: WorkflowIdentity;
  readonly spec: StartRequest['spec'];
  /** The actions were given before the server stopped. */
  readonly isReissued: boolean;
  readonly phaseOf: (node: string) => NodeStatus['phase'] | undefined;
}

/** Carries out an action, which the store knows of already. Returns when to wake the workflow, if it asks for it. */
export function carryOut(deps: ActionDeps, context: ActionContext, action: Action): number | undefined {
  const { workflow } = context;
  switch (action.kind) {
    case 'start':
      deps.runner.start({ workflow, spec: context.spec, action, earlierStart: earlierStart(context, action.node) });
      return undefined;
    case 'kill':
      deps.runner.kill(workflow, action);
      return undefined;
    case 'http':
      void deps.http.send(action, deps.signal).then(observation => deps.observe(workflow.uid, observation));
      return undefined;
    case 'wakeAt':
      return action.time;
    case 'acquire':
      deps.locks.acquire(action, workflow.uid, answer => deps.observe(workflow.uid, answer));
      return undefined;
    case 'release':
      deps.locks.release(action.holder);
      return undefined;
    case 'memoGet':
      void deps.memo.read(workflow, action).then(observation => deps.observe(workflow.uid, observation));
      return undefined;
    case 'memoPut':
      deps.memo.write(workflow, action);
      return undefined;
  }
}

function earlierStart({ isReissued, phaseOf }: ActionContext, node: string): StartRequest['earlierStart'] {
  if (!isReissued) return 'none';
  return phaseOf(node) === 'Running' ? 'started' : 'perhaps';
}
