import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Clock, Logger } from '@chandlery/platform';
import { retainedBy, retainedServices } from '@chandlery/providers/kinds';
import { type Controller, type ControllerMetrics, createController, ignoreNotFound } from '@chandlery/runtime';
import type { ConfigObject } from '../definition/config-kind.ts';
import { sharedWorkloadRequirement } from '../model/access-requirements.ts';
import { sharedKeyOf } from '../model/names.ts';
import type { ReconcileDeps } from '../reconcile/reconcile-scope.ts';
import { endShared, keepShared, type SharedDeps } from './keep-shared.ts';

export interface SharedControllerOptions {
  readonly metrics: ControllerMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** The number of names in messages. */
const maxNamed = 10;

/** Creates the controller of objects that a provider has once for all service objects. Undefined when it has none. */
export function createSharedController(deps: ReconcileDeps, options: SharedControllerOptions): Controller | undefined {
  const { definition, provider, platform, configs, services, access, managed, metrics } = deps;
  const { clusters, config } = definition;
  if (definition.shared === undefined) return undefined;
  if (clusters?.workload?.per !== 'provider') throw notShared();
  const workload = sharedWorkloadRequirement(definition, provider);
  const isOwn = ({ metadata }: KubeObject): boolean =>
    metadata.namespace === workload.request.namespace && metadata.name === workload.request.name;
  const ofRequest = (request: KubeObject): readonly string[] => (isOwn(request) ? [provider] : []);
  const controller = createController<ConfigObject, SharedDeps>({
    ...options,
    name: `${provider}-shared`,
    client: platform,
    for: { ref: config.ref, informer: configs },
    watches: [
      { informer: access.accessRequests, mapToKeys: ofRequest },
      { informer: access.clusterRequests, mapToKeys: ofRequest },
    ],
    filter: key => key === provider,
    steps: [keepShared],
    onDelete: [endShared],
    finalizer: `${config.group}/shared`,
    needs: {
      provider,
      key: sharedKeyOf(provider),
      desired: async context => (await definition.shared?.(context)) ?? [],
      access,
      workload,
      managed,
      platform,
      countServices: () => services.size,
      isLeaving: () => deps.leaving.since() !== undefined,
      retainedServices: () => retainedNamesOf(deps),
      onDrift: kind => metrics.drift.with({ kind }).inc(),
    },
  });
  services.listen({ deleted: () => controller.enqueue(provider) });
  return controller;
}

async function retainedNamesOf({ onboarding, provider }: ReconcileDeps): Promise<readonly string[]> {
  const options = { labelSelector: retainedBy(provider), limit: maxNamed };
  // A landscape that does not serve the kind has none.
  const { items = [] } = (await onboarding.list(retainedServices.ref, options).catch(ignoreNotFound)) ?? {};
  return items.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`).sort();
}

const notShared = (): ChandleryError =>
  new ChandleryError('InvalidDefinition', 'the provider has shared objects, but no cluster for them', {
    hint: "Add a workload cluster with per: 'provider' to the definition.",
  });
