import type { KubeObject } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import type { Informer } from '@chandlery/runtime';
import type { ArgoSettings } from '../../model/argo/argo-settings.ts';
import { expandNodes } from '../../model/argo/compressed-nodes.ts';
import type { ArgoCluster, WorkflowWatch } from '../../order-ports.ts';
import type { NodeLogs } from '../../workflow-ports.ts';
import { watchWorkflows } from '../kube-workflows/watch-workflows.ts';
import type { ArgoConnection } from './argo-connection.ts';
import { LogCapture } from './log-capture.ts';

export interface ArgoWatchOptions {
  readonly connection: ArgoConnection;
  readonly settings: Pick<ArgoSettings, 'cluster'>;
  readonly logs: NodeLogs;
  readonly logger: Logger;
  readonly changed: (order: string) => void;
}

export interface ArgoWatch extends WorkflowWatch {
  /** What stores logs; undefined until the cluster is connected. */
  readonly capture: () => LogCapture | undefined;
}

/** Watches Workflows on the cluster of an Argo as soon as it can be reached, and stores the logs of their pods. */
export function watchArgo(options: ArgoWatchOptions): ArgoWatch {
  const { connection, settings, logger } = options;
  const { cluster } = settings;
  const stopping = new AbortController();
  let parts: { readonly informer: Informer; readonly capture: LogCapture } | undefined;
  const onFailure = (error: Error): void =>
    logger.warn('the cluster of an Argo cannot be reached', { cluster, error: error.message });
  const opened = connection.openEventually(stopping.signal, onFailure).then(
    argo => {
      if (!stopping.signal.aborted) parts = openParts(options, argo);
    },
    (error: unknown) => {
      if (!stopping.signal.aborted) logger.warn('the cluster of an Argo is not watched', { cluster, error });
    },
  );
  const placed = ({ metadata }: KubeObject) => ({
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    cluster,
  });
  return {
    synced: opened.then(() => parts?.informer.synced),
    capture: () => parts?.capture,
    get: ({ namespace, name }) => parts?.informer.get(namespace, name),
    ofOrder: id => (parts?.informer.byIndex('order', id) ?? []).map(placed),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await opened;
      await parts?.informer.stop();
      await parts?.capture[Symbol.asyncDispose]();
    },
  };
}

function openParts({ logs, logger, changed, settings }: ArgoWatchOptions, argo: ArgoCluster) {
  const { cluster } = settings;
  const capture = new LogCapture({ cluster: argo, logs, logger });
  const informer = watchWorkflows({
    client: argo.client,
    changed,
    onError: error => logger.warn('Workflows of an Argo could not be watched', { cluster, error: error.message }),
    transform: workflow => withNodes(workflow, logger),
  });
  informer.listen({ deleted: ({ metadata }) => void logs.remove(metadata.uid ?? '').catch(() => undefined) });
  return { informer, capture };
}

/** A status that cannot be read must not end the watch: the phase is there without it. */
function withNodes(workflow: KubeObject, logger: Logger): KubeObject {
  try {
    return expandNodes(workflow);
  } catch (error) {
    logger.warn('the nodes of a Workflow cannot be read', { workflow: workflow.metadata.name, error });
    return workflow;
  }
}
