import { setTimeout as sleep } from 'node:timers/promises';
import { isError } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import type { Output } from '../command.ts';
import { linesOf } from '../output/lines.ts';
import { untilEnded } from './follow-workflow.ts';
import { containersOf, type NodeContainer } from './workflow-containers.ts';
import { loadWorkflow } from './workflow-module.ts';
import { hasEnded, type WorkflowObject } from './workflow-objects.ts';

/** A container that has no log yet is asked again after so long. */
const retryMs = 300;

export interface LogOptions {
  /** A node, by its name, display name, id or pod. Default: all. */
  readonly wanted?: string | undefined;
  readonly stdout: Output;
}

/** Prints what the containers of a Workflow have printed, one after the other. Returns how many there are. */
export async function printLogs(client: HttpClient, workflow: WorkflowObject, options: LogOptions): Promise<number> {
  const { podNameOf } = await loadWorkflow();
  const containers = containersOf(workflow, { podNameOf, wanted: options.wanted });
  for (const container of containers) await printLog(client, workflow, { ...options, container, isFollowed: false });
  return containers.length;
}

/** Prints what the containers of a Workflow print, side by side, until it has ended. */
export async function followLogs(client: HttpClient, workflow: WorkflowObject, options: LogOptions): Promise<void> {
  const { podNameOf } = await loadWorkflow();
  const streams = new Map<string, Promise<void>>();
  let last = workflow;
  const open = async (container: NodeContainer): Promise<void> => {
    for (;;) {
      const isLastTry = hasEnded(last);
      if (await printLog(client, workflow, { ...options, container, isFollowed: true })) return;
      if (isLastTry) return;
      await sleep(retryMs);
    }
  };
  const onState = (state: WorkflowObject): void => {
    last = state;
    for (const container of containersOf(state, { podNameOf, wanted: options.wanted })) {
      const key = `${container.pod}/${container.container}`;
      if (!streams.has(key)) streams.set(key, open(container));
    }
  };
  await untilEnded(client, workflow, { onState });
  await Promise.all(streams.values());
}

interface OneLog extends LogOptions {
  readonly container: NodeContainer;
  readonly isFollowed: boolean;
}

/** Prints the log of one container; false when there is none yet. */
async function printLog(client: HttpClient, workflow: WorkflowObject, options: OneLog): Promise<boolean> {
  const { pod, container } = options.container;
  const path = ['api', 'v1', 'namespaces', workflow.metadata.namespace ?? '', 'pods', pod, 'log'];
  try {
    const { body } = await client.raw(`/${path.map(encodeURIComponent).join('/')}`, {
      query: { container, ...(options.isFollowed && { follow: true }) },
      isEndless: options.isFollowed,
    });
    // One node of one container needs no names before its lines.
    const prefix = options.wanted === undefined ? `${pod}: ` : '';
    for await (const line of linesOf(body)) options.stdout.write(`${prefix}${line}\n`);
    return true;
  } catch (thrown) {
    // The pod is not there yet, or its container has not started.
    if (isError(thrown, 'NotFound', 'BadRequest')) return false;
    throw thrown;
  }
}
