import type { KubeObject } from '@chandlery/api';
import { traceparentOfRow } from '@chandlery/registry';
import { createInformer, createWorkQueue, runWorkers, type WorkResult, withoutManagedFields } from '@chandlery/runtime';
import { hostedServices } from '../../actions/hosting/verify-hosting.ts';
import { hostedLabel } from '../../model/hosting/hosted-deployment.ts';
import { controllerOf } from '../../model/services/convert-workflow.ts';
import type { ServiceRow } from '../../registry/orders-registry.ts';
import { deploymentsRef, type HostingDeps, reconcileHosting } from './reconcile-hosting.ts';

const concurrency = 4;
const workerName = 'orders-hosting';

/** Starts the controller that keeps the processes of services running. */
export function startHosting(deps: HostingDeps): AsyncDisposable {
  const { registry, models, clock, logger, platform, controllerMetrics: metrics } = deps;
  const queue = createWorkQueue<string>({ clock, ...(metrics && { observer: metrics.observeQueue(workerName) }) });
  const informer = createInformer<KubeObject>({
    client: platform,
    ref: deploymentsRef,
    labelSelector: hostedLabel,
    indexes: { service: deployment => [serviceOf(deployment)] },
    transform: withoutManagedFields,
    onError: error => logger.warn('Deployments of services could not be watched', { error: error.message }),
  });
  const enqueue = (deployment: KubeObject): void => queue.add(serviceOf(deployment));
  const isHosted = (row: ServiceRow | undefined): boolean =>
    row !== undefined && models.hostingOf(controllerOf(row.spec)) !== undefined;
  const stops = [
    informer.listen({ added: enqueue, updated: enqueue, deleted: enqueue }),
    registry.services.listen(({ row, previous }) => {
      if (!isHosted(row) && !isHosted(previous)) return;
      queue.add(row.id);
      // A deleted service frees its place for another one.
      for (const { id } of hostedServices(deps, row.tenant)) queue.add(id);
    }),
  ];
  for (const row of registry.services.all()) if (isHosted(row)) queue.add(row.id);
  informer.start();
  const workers = runWorkers({
    name: workerName,
    tracer: metrics?.tracer,
    traceparentOf: id => traceparentOfRow(registry.services.get(id)),
    queue,
    concurrency,
    work: async (id): Promise<WorkResult> => {
      await informer.synced;
      await reconcileHosting({ ...deps, informer }, id);
      return 'done';
    },
    onFailure: ({ key, error }) =>
      logger.warn('the process of a service could not be started, will be tried again', {
        service: key,
        error: error.message,
      }),
  });
  return {
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop();
      await informer.stop();
      await workers[Symbol.asyncDispose]();
    },
  };
}

const serviceOf = ({ metadata }: KubeObject): string => metadata.labels?.[hostedLabel] ?? '';
