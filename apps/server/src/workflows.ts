import { join } from 'node:path';
import type { PodLogs } from '@chandlery/clusters';
import { createKernelClient, type Kernel, platformCluster } from '@chandlery/kernel';
import type { StoredLogRequest } from '@chandlery/kubernetes';
import { type Orders, openWorkflows, readOrdersSettings, type StatusJoin, type Workflows } from '@chandlery/orders';
import { type Logger, type ServerConfig, type Shutdown, systemClock } from '@chandlery/platform';
import { selectLines } from './select-lines.ts';

/** What workflows share with the rest of the process. */
export interface WorkflowDeps {
  readonly kernel: Kernel;
  readonly join: StatusJoin;
  readonly logger: Logger;
  readonly stopping: Shutdown;
}

/** Workflows, and how this program runs their controller. */
export interface RunningWorkflows {
  readonly artifacts: Workflows['artifacts'];
  readonly opened: Workflows['opened'];
  startControllers(deps: {
    readonly podLogs: PodLogs;
    readonly orders: Pick<Orders, 'bytes'>;
  }): Promise<AsyncDisposable>;
  /** Reads the log of a node whose pod was deleted; undefined when nothing is stored. */
  readStoredLog(request: StoredLogRequest): Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** Opens the status of workflows. */
export async function startWorkflows(config: ServerConfig, deps: WorkflowDeps): Promise<RunningWorkflows> {
  const { kernel, stopping } = deps;
  const client = stopping.use('client of workflows', createKernelClient(kernel, { cluster: platformCluster }));
  const workflows = await openWorkflows({
    client,
    join: deps.join,
    folder: join(config.dataDir, 'workflows'),
    clock: systemClock,
    logger: deps.logger.child({ domain: 'workflows' }),
  });
  stopping.use('workflows', workflows);
  return {
    artifacts: workflows.artifacts,
    opened: workflows.opened,
    startControllers: ({ podLogs, orders }) =>
      workflows.startControllers({
        readPodLog: request => podLogs.read({ ...request, cluster: platformCluster }),
        bytes: orders.bytes,
        settings: runningLimits(config),
        allowsLoopback: config.localClusters === 'on',
        allowedRanges: readOrdersSettings(config.orders).allowedRanges,
      }),
    readStoredLog: async ({ cluster, namespace, pod, container, ...selection }) => {
      if (cluster !== platformCluster) return undefined;
      const lines = await workflows.logs.read({ namespace, pod, container });
      return lines && selectLines(lines, selection);
    },
  };
}

/** 0 means that there is no limit. */
function runningLimits(config: ServerConfig) {
  const { runningWorkflows, runningWorkflowsPerTenant } = readOrdersSettings(config.orders).settings;
  return {
    ...(runningWorkflows > 0 && { maxRunning: runningWorkflows }),
    ...(runningWorkflowsPerTenant > 0 && { maxRunningPerNamespace: runningWorkflowsPerTenant }),
  };
}
