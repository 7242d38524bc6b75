import type { Client } from '@chandlery/client';
import { type Clock, type Logger, silentLogger } from '@chandlery/platform';
import { createController, createInformer, withoutManagedFields } from '@chandlery/runtime';
import { type EndpointSet, endpointSets } from '../../kinds/endpoint-set.ts';
import { reportEndpointSet } from './report-endpoint-set.ts';

export interface EndpointSetControllerOptions {
  /** Client of the cluster of the sets. Not disposed of. */
  readonly client: Client;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Default: that of the machine. */
  readonly clock?: Clock;
}

/** Starts the controller that maintains the status of EndpointSets. */
export function startEndpointSetController(options: EndpointSetControllerOptions): AsyncDisposable {
  const { client, logger = silentLogger, clock } = options;
  const { ref } = endpointSets;
  const stack = new AsyncDisposableStack();
  const informer = stack.use(createInformer<EndpointSet>({ client, ref, transform: withoutManagedFields }));
  const controller = stack.use(
    createController<EndpointSet, undefined>({
      name: 'endpoint-sets',
      client,
      for: { ref, informer },
      steps: [reportEndpointSet],
      needs: undefined,
      syncedCondition: false,
      hasObservedGeneration: false,
      logger,
      ...(clock && { clock }),
    }),
  );
  controller.start();
  return stack;
}
