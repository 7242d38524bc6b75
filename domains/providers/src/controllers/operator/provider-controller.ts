import { type Controller, type ControllerOptions, createController, hasPausedAnnotation } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';
import { builtInProviderName, type ProviderClass } from '../../model/operator/provider-class.ts';
import { checkApi } from './check-api.ts';
import { checkShared } from './check-shared.ts';
import { checkSpec } from './check-spec.ts';
import { ensureInitAccess } from './ensure-init-access.ts';
import { ensureRun } from './ensure-run.ts';
import { heedOperation } from './heed-operation.ts';
import type { OperatorNeeds } from './needs.ts';
import { operatorNeeds } from './operator-needs.ts';
import type { OperatorWorld } from './operator-world.ts';
import { relatedSources } from './related-sources.ts';
import { removeApi, removeRequests, removeRest, removeRun } from './removal-stages.ts';
import { reportReady } from './report-ready.ts';
import { runInit } from './run-init.ts';
import { waitForTenants } from './wait-for-tenants.ts';

/** Starts the controller of one kind of providers. */
export function startProviderController(world: OperatorWorld, providerClass: ProviderClass): Controller {
  const wake = ({ metadata }: Provider): void => controller.enqueue(metadata.name ?? '');
  const controller: Controller = createController<Provider, OperatorNeeds>({
    ...controllerBasics(world, providerClass),
    name: providerClass.kind.plural,
    filter: key => providerClass.prefix !== 'cp' || key !== builtInProviderName,
    owns: relatedSources(world, providerClass),
    finalizer: providerNames.providerFinalizer,
    steps: [heedOperation, checkSpec, ensureInitAccess, runInit, checkApi, ensureRun, checkShared, reportReady],
    onDelete: [heedOperation, waitForTenants, removeRun, waitForTenants, removeApi, removeRequests, removeRest],
    needs: operatorNeeds(world, providerClass, wake),
    concurrency: 4,
  });
  controller.start();
  return controller;
}

type Basics = Pick<
  ControllerOptions<Provider, OperatorNeeds>,
  'client' | 'for' | 'isPaused' | 'logger' | 'metrics' | 'clock' | 'timers'
>;

/** What all controllers of providers have in common. */
export function controllerBasics(world: OperatorWorld, providerClass: ProviderClass): Basics {
  const { platform, logger, metrics, clock, timers } = world.options;
  return {
    client: platform,
    for: { ref: providerClass.kind.ref, informer: world.providers(providerClass) },
    isPaused,
    logger,
    ...(metrics && { metrics }),
    ...(clock && { clock }),
    ...(timers && { timers }),
  };
}

const isPaused = (provider: Provider): boolean =>
  provider.metadata.annotations?.[providerNames.operationAnnotation] === 'ignore' || hasPausedAnnotation(provider);
