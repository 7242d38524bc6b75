import { ChandleryError } from '@chandlery/api';
import { type ArgoSettings, argoFor } from '../../model/argo/argo-settings.ts';
import type { WorkflowAddress, WorkflowEngine, WorkflowWatch } from '../../order-ports.ts';

/** The engines of a landscape. */
export interface RoutedEngines {
  /** Executes what goes nowhere else. */
  readonly embedded: WorkflowEngine;
  /** Engines of clusters, with what says which tenants' orders they execute. */
  readonly argo: readonly { readonly settings: ArgoSettings; readonly engine: WorkflowEngine }[];
}

/** Returns one engine for all: new Workflows go by tenant, those that are there by the cluster of their address. */
export function routeWorkflows({ embedded, argo }: RoutedEngines): WorkflowEngine {
  const engines = new Map(argo.map(({ settings, engine }) => [settings.cluster, engine]));
  const all = argo.map(({ settings }) => settings);
  const forTenant = (tenant: string): WorkflowEngine => engines.get(argoFor(all, tenant)?.cluster ?? '') ?? embedded;
  const at = ({ cluster }: Pick<WorkflowAddress, 'cluster'>): WorkflowEngine => {
    const engine = cluster === undefined ? embedded : engines.get(cluster);
    if (engine !== undefined) return engine;
    throw new ChandleryError(
      'ConnectionFailed',
      `the settings of orders do not name the cluster "${cluster}" any more`,
      {
        hint: 'Orders that were handed to a cluster are followed there: keep it in the setting "argo" until they have ended.',
      },
    );
  };
  return {
    placeOf: tenant => forTenant(tenant).placeOf(tenant),
    submit: (document, tenant) => forTenant(tenant).submit(document, tenant),
    get: async address => at(address).get(address),
    patchSpec: async (address, spec) => at(address).patchSpec(address, spec),
    resume: async (address, selector) => at(address).resume(address, selector),
    setOutputs: async (address, outputs) => at(address).setOutputs(address, outputs),
    retry: async (address, options) => at(address).retry(address, options),
    remove: async address => at(address).remove(address),
    readLog: async container => at(container).readLog(container),
    watch: changed => joinWatches(embedded.watch(changed), engines, changed),
  };
}

/** A cluster that cannot be reached must not keep the orders of others waiting. */
function joinWatches(
  own: WorkflowWatch,
  engines: ReadonlyMap<string, WorkflowEngine>,
  changed: (order: string) => void,
): WorkflowWatch {
  const watches = new Map([...engines].map(([cluster, engine]) => [cluster, engine.watch(changed)]));
  return {
    synced: own.synced,
    get: address => (address.cluster === undefined ? own : watches.get(address.cluster))?.get(address),
    ofOrder: id => [own, ...watches.values()].flatMap(watch => watch.ofOrder(id)),
    async [Symbol.asyncDispose]() {
      await Promise.all([own, ...watches.values()].map(watch => watch[Symbol.asyncDispose]()));
    },
  };
}
