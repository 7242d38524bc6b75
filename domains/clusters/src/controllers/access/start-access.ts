import type { Client } from '@chandlery/client';
import { createEventRecorder, keyOf, type SharedInformers } from '@chandlery/runtime';
import type { Cluster } from '../../kinds/index.ts';
import { createAccessController } from './access-controller.ts';
import { accessInformers } from './access-informers.ts';
import type { ControllerParts } from './controller-parts.ts';
import { createRequestController } from './request-controller.ts';
import { type AccessSource, SourceListeners } from './source-listeners.ts';
import { Targets } from './targets.ts';

/** Who gives access to which clusters. */
export interface AccessOptions extends ControllerParts {
  /** The platform cluster. Not disposed of. */
  readonly platform: Client;
  /** Of the platform cluster. */
  readonly informers: SharedInformers;
  /** Where a cluster comes from; undefined when nobody here makes it. */
  sourceOf(cluster: Cluster): AccessSource | undefined;
  /** The cluster provider in whose name access is given. */
  readonly provider: string;
  /** Tells landscapes apart that share a cluster. Must stay the same. */
  readonly environment: string;
}

/** Answers AccessRequests: finds their clusters, and gives credentials for those of the provider. Disposing of it stops it. */
export function startAccess(options: AccessOptions): AsyncDisposable {
  const { platform, logger, metrics, clock, timers, provider, environment } = options;
  const granter = { provider, environment };
  const parts = { logger, ...(metrics && { metrics }), ...(clock && { clock }), ...(timers && { timers }) };
  const stack = new AsyncDisposableStack();
  const informers = accessInformers(platform, options.informers, granter);
  const recorder = stack.use(createEventRecorder({ client: platform, component: 'access', ...(clock && { clock }) }));
  const wake = (key: string): void => access.enqueue(key);
  const targets = stack.use(new Targets({ granter, wake, ...(clock && { clock }), ...(timers && { timers }) }));
  const wakeAllOf = (clusterKey: string): void => informers.requestsOf.clusterKey(clusterKey).forEach(wake);
  const listeners = stack.use(new SourceListeners(wakeAllOf));
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
