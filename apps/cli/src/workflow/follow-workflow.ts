import { ChandleryError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { followObject } from '../landscape/follow-object.ts';
import { hasEnded, phaseOf, refOf, type WorkflowObject } from './workflow-objects.ts';

export interface FollowWorkflowOptions {
  /** Default: without limit. */
  readonly timeoutMs?: number | undefined;
  /** Gets every state. */
  readonly onState?: (workflow: WorkflowObject) => void;
  /** Stops following. Default: never. */
  readonly signal?: AbortSignal | undefined;
}

/** Follows a Workflow to its end and returns it. Rejects with `NotFound` when it is deleted, and with `Timeout`. */
export async function untilEnded(
  client: Client,
  workflow: WorkflowObject,
  { timeoutMs, onState = () => undefined, signal }: FollowWorkflowOptions = {},
): Promise<WorkflowObject> {
  const timeout = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const stop = AbortSignal.any([...timeout, ...(signal === undefined ? [] : [signal])]);
  let last: WorkflowObject | undefined = workflow;
  const isDone = (found: WorkflowObject | undefined): boolean => {
    // Another one of the same name is not the one that is followed.
    last = found?.metadata.uid === workflow.metadata.uid ? found : undefined;
    if (last !== undefined) onState(last);
    return last === undefined || hasEnded(last);
  };
  try {
    await followObject<WorkflowObject>(client, refOf(workflow), { signal: stop, isDone });
  } catch (thrown) {
    throw timeout[0]?.aborted === true ? tooLong(timeoutMs ?? 0, last ?? workflow) : thrown;
  }
  if (last === undefined) throw new ChandleryError('NotFound', 'it was deleted before it ended');
  return last;
}

/** Throws `WorkflowFailed` unless a Workflow has succeeded. */
export function assertSucceeded(workflow: WorkflowObject): void {
  if (phaseOf(workflow) === 'Succeeded') return;
  const { name = '', namespace = '' } = workflow.metadata;
  const message = workflow.status?.message ?? '';
  throw new ChandleryError(
    'WorkflowFailed',
    `workflow "${name}" has ended as ${phaseOf(workflow)}${message === '' ? '' : `: ${message}`}`,
    {
      hint: `"npx chandlery workflow logs ${name} -n ${namespace}" shows what its nodes printed; "npx chandlery workflow retry ${name} -n ${namespace}" starts it again from its failures.`,
    },
  );
}

const tooLong = (timeoutMs: number, { metadata, ...workflow }: WorkflowObject): ChandleryError =>
  new ChandleryError('Timeout', `its phase is ${phaseOf({ metadata, ...workflow })} after ${timeoutMs / 1000} s`, {
    hint: `It continues: "npx chandlery workflow watch ${metadata.name} -n ${metadata.namespace}" shows how far it is; --timeout waits longer.`,
  });
