import type { Client } from '@chandlery/client';
import { createEventRecorder, keyOf, type SharedInformers } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/index.ts';
import { createAccessController } from './access-controller.ts';
import type { SharedControllerOptions } from './access-controller-options.ts';
import { accessInformers } from './access-informers.ts';
import { createRequestController } from './request-controller.ts';
import { type AccessSource, SourceListeners } from './source-listeners.ts';
import { Targets } from './targets.ts';

/** The options of the access controllers. */
export interface AccessOptions extends SharedControllerOptions {
  /** The platform cluster. Not disposed of. */
  readonly platform: Client;
  /** The informers of the platform cluster. */
  readonly informers: SharedInformers;
  /** The source of a cluster; undefined when no source here creates it. */
  sourceOf(cluster: Cluster): AccessSource | undefined;
  /** The cluster provider that grants access. */
  readonly provider: string;
  /** Distinguishes landscapes that share a cluster. Must stay the same. */
  readonly environment: string;
}

/**
 * Serves AccessRequests: resolves their clusters, and issues credentials for those of the provider. Disposing of it
 * stops it.
 */
export function startAccess(options: AccessOptions): AsyncDisposable {
  const { platform, logger, metrics, clock, timers, provider, environment } = options;
  const granter = { provider, environment };
  const parts = { logger, ...(metrics && { metrics }), ...(clock && { clock }), ...(timers && { timers }) };
  const stack = new AsyncDisposableStack();
  const informers = accessInformers(platform, options.informers, granter);
  const recorder = stack.use(createEventRecorder({ client: platform, component: 'access', ...(clock && { clock }) }));
  const enqueue = (key: string): void => access.enqueue(key);
  const targets = stack.use(new Targets({ granter, enqueue, ...(clock && { clock }), ...(timers && { timers }) }));
  const enqueueAllOf = (clusterKey: string): void => informers.requestsOf.clusterKey(clusterKey).forEach(enqueue);
  const listeners = stack.use(new SourceListeners(enqueueAllOf));
  const sourceOf = (cluster: Cluster): AccessSource | undefined => options.sourceOf(cluster);
  const access = stack.use(
    createAccessController({ platform, informers, targets, granter, recorder, listeners, sourceOf }, parts),
  );
  stack.defer(informers.requests.listen({ deleted: request => targets.release(keyOf(request)) }));
  stack.defer(informers.clusters.listen({ deleted: cluster => targets.forget(keyOf(cluster)) }));
  access.start();
  stack.use(createRequestController(platform, informers, parts)).start();
  return stack;
}
