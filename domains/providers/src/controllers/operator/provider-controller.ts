import { type Controller, type ControllerOptions, createController, hasPausedAnnotation } from '@chandlery/runtime';
import { type Provider, providerNames } from '../../kinds/index.ts';
import { builtInProviderName, type ProviderClass } from '../../model/operator/provider-class.ts';
import { checkApi } from './check-api.ts';
import { checkShared } from './check-shared.ts';
import { checkSpec } from './check-spec.ts';
import { createOperatorDeps } from './create-operator-deps.ts';
import { ensureInitAccess } from './ensure-init-access.ts';
import { ensureRun } from './ensure-run.ts';
import { handleOperationAnnotation } from './handle-operation-annotation.ts';
import type { OperatorContext } from './operator-context.ts';
import type { OperatorDeps } from './operator-deps.ts';
import { relatedSources } from './related-sources.ts';
import { removeApi, removeRequests, removeRest, removeRun } from './removal-steps.ts';
import { reportReady } from './report-ready.ts';
import { runInit } from './run-init.ts';
import { waitForTenants } from './wait-for-tenants.ts';

/** Starts the controller of one kind of providers. */
export function startProviderController(context: OperatorContext, providerClass: ProviderClass): Controller {
  const enqueue = ({ metadata }: Provider): void => controller.enqueue(metadata.name ?? '');
  const controller: Controller = createController<Provider, OperatorDeps>({
    ...controllerBasics(context, providerClass),
    name: providerClass.kind.plural,
    filter: key => providerClass.prefix !== 'cp' || key !== builtInProviderName,
    owns: relatedSources(context, providerClass),
    finalizer: providerNames.providerFinalizer,
    steps: [
      handleOperationAnnotation,
      checkSpec,
      ensureInitAccess,
      runInit,
      checkApi,
      ensureRun,
      checkShared,
      reportReady,
    ],
    onDelete: [
      handleOperationAnnotation,
      waitForTenants,
      removeRun,
      waitForTenants,
      removeApi,
      removeRequests,
      removeRest,
    ],
    needs: createOperatorDeps(context, providerClass, enqueue),
    concurrency: 4,
  });
  controller.start();
  return controller;
}

type Basics = Pick<
  ControllerOptions<Provider, OperatorDeps>,
  'client' | 'for' | 'isPaused' | 'logger' | 'metrics' | 'clock' | 'timers'
>;

/** The options that all controllers of providers share. */
export function controllerBasics(context: OperatorContext, providerClass: ProviderClass): Basics {
  const { platform, logger, metrics, clock, timers } = context.options;
  return {
    client: platform,
    for: { ref: providerClass.kind.ref, informer: context.providers(providerClass) },
    isPaused,
    logger,
    ...(metrics && { metrics }),
    ...(clock && { clock }),
    ...(timers && { timers }),
  };
}

const isPaused = (provider: Provider): boolean =>
  provider.metadata.annotations?.[providerNames.operationAnnotation] === 'ignore' || hasPausedAnnotation(provider);
