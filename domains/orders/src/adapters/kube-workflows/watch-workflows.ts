import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { createInformer, type Informer, withoutManagedFields } from '@chandlery/runtime';
import { workflowsRef } from '../../kinds/workflows/index.ts';
import { orderLabels } from '../../model/documents/order-document.ts';

export interface WatchedWorkflows {
  readonly client: Client;
  /** Called with the UUID of the order of each Workflow that has changed. */
  readonly changed: (order: string) => void;
  readonly onError: (error: Error) => void;
  /** What is made of each Workflow that is seen. Default: it stays as it is. */
  readonly transform?: (workflow: KubeObject) => KubeObject;
}

/** Watches the Workflows of orders on a cluster; index `order` has the UUIDs of orders. 410 Gone leads to a new list. */
export function watchWorkflows({ client, changed, onError, transform }: WatchedWorkflows): Informer {
  const informer = createInformer<KubeObject>({
    client,
    ref: workflowsRef,
    labelSelector: orderLabels.order,
    indexes: { order: workflow => [orderOf(workflow)] },
    transform: workflow => {
      const plain = withoutManagedFields(workflow);
      return transform === undefined ? plain : transform(plain);
    },
    onError,
  });
  const notify = (workflow: KubeObject): void => changed(orderOf(workflow));
  informer.listen({ added: notify, updated: notify, deleted: notify });
  informer.start();
  return informer;
}

const orderOf = ({ metadata }: KubeObject): string => metadata.labels?.[orderLabels.order] ?? '';
