import type { KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import {
  type Controller,
  type ControllerOptions,
  createController,
  type Informer,
  installKinds,
  isDeleting,
  keyOf,
  parseKey,
  SharedInformers,
} from '@chandlery/runtime';
import { fieldManager } from '../broker-object.ts';
import {
  type ServiceBinding,
  type ServiceBroker,
  type ServiceClass,
  type ServiceInstance,
  serviceBindings,
  serviceBrokers,
  serviceClasses,
  serviceInstances,
  serviceKinds,
} from '../kinds.ts';
import { bind, findInstance, reportBinding, unbind } from './binding-steps.ts';
import { releaseBroker, showCatalog } from './catalog-steps.ts';
import { deprovision, provision, reportInstance, update } from './instance-steps.ts';
import { OsbBrokers } from './osb-brokers.ts';
import { type ServicesDeps, servicesFinalizer } from './services-deps.ts';
import { stopWhenAbandoned } from './stop-when-abandoned.ts';

export interface ServicesOptions {
  readonly client: Client;
  readonly logger: Logger;
  /** How long a call of a broker may take. */
  readonly timeoutMs: number;
  /** Between two looks at what a broker does in the background. */
  readonly pollMs: number;
  /** After the first failure. */
  readonly retryMs: number;
}

/** Installs our kinds and fulfils them through brokers. Disposing of the result stops that; the kinds stay. */
export async function startServices(options: ServicesOptions): Promise<AsyncDisposable> {
  const { client, timeoutMs } = options;
  await installKinds(
    client,
    serviceKinds.map(({ crd }) => crd),
    { fieldManager },
  );
  const system = await client.get({ group: '', version: 'v1', plural: 'namespaces', name: 'kube-system' });
  await using stack = new AsyncDisposableStack();
  const informers = stack.use(new SharedInformers());
  const brokers = stack.use(new OsbBrokers(client, timeoutMs));
  const deps: ServicesDeps = {
    ...options,
    brokers,
    clusterId: system.metadata.uid ?? '',
    serviceBrokers: informers.informer<ServiceBroker>({ client, ref: serviceBrokers.ref }),
    serviceClasses: informers.informer<ServiceClass>({ client, ref: serviceClasses.ref }),
    serviceInstances: informers.informer<ServiceInstance>({ client, ref: serviceInstances.ref }),
    serviceBindings: informers.informer<ServiceBinding>({ client, ref: serviceBindings.ref }),
  };
  await informers.synced();
  for (const start of [startCatalogs, startInstances, startBindings]) stack.use(start(deps));
  return stack.move();
}

function startCatalogs(deps: ServicesDeps): Controller {
  // Only a broker that is to go waits for its instances; others would fetch their catalogs for nothing.
  const waitingBroker = ({ status }: ServiceInstance): string[] => {
    const broker = deps.serviceBrokers.get(undefined, status?.broker ?? '');
    return broker !== undefined && isDeleting(broker) ? [keyOf(broker)] : [];
  };
  return started<ServiceBroker>(deps, {
    name: 'service-catalogs',
    for: { ref: serviceBrokers.ref, informer: deps.serviceBrokers },
    watches: [triggers(deps.serviceInstances, waitingBroker)],
    steps: [showCatalog],
    onDelete: [releaseBroker],
  });
}

function startInstances(deps: ServicesDeps): Controller {
  const { serviceInstances: informer } = deps;
  const ofClass = ({ spec }: ServiceClass): string[] =>
    informer
      .list()
      .filter(instance => instance.spec.offering === spec.offering)
      .map(keyOf);
  return started<ServiceInstance>(deps, {
    name: 'service-instances',
    for: { ref: serviceInstances.ref, informer },
    watches: [
      triggers(deps.serviceClasses, ofClass),
      triggers(deps.serviceBindings, ({ metadata, spec }) => [`${metadata.namespace}/${spec.instance}`]),
    ],
    steps: [stopWhenAbandoned, provision, update, reportInstance],
    onDelete: [deprovision],
  });
}

function startBindings(deps: ServicesDeps): Controller {
  const { serviceBindings: informer } = deps;
  const ofInstance = ({ metadata }: ServiceInstance): string[] =>
    informer
      .list(metadata.namespace)
      .filter(({ spec }) => spec.instance === metadata.name)
      .map(keyOf);
  return started<ServiceBinding>(deps, {
    name: 'service-bindings',
    for: { ref: serviceBindings.ref, informer },
    watches: [triggers(deps.serviceInstances, ofInstance)],
    steps: [stopWhenAbandoned, findInstance, bind, reportBinding],
    onDelete: [unbind],
  });
}

type ControllerParts<T extends KubeObject> = Pick<
  ControllerOptions<T, ServicesDeps>,
  'name' | 'for' | 'watches' | 'steps' | 'onDelete'
>;

function started<T extends KubeObject>(deps: ServicesDeps, parts: ControllerParts<T>): Controller {
  const controller = createController<T, ServicesDeps>({
    ...parts,
    client: deps.client,
    needs: deps,
    finalizer: servicesFinalizer,
    concurrency: 4,
    tenantOf: key => parseKey(key).namespace ?? '',
    backOff: { baseMs: deps.retryMs, maxMs: 600_000 },
    graceMs: 5000,
    logger: deps.logger,
  });
  controller.start();
  return controller;
}

/** Types of sources differ; each is asked about its own objects only. */
const triggers = <R extends KubeObject>(informer: Informer<R>, mapToKeys: (related: R) => readonly string[]) => ({
  informer: informer as unknown as Informer,
  mapToKeys: (related: KubeObject) => mapToKeys(related as R),
});
