import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Controller, StepContext, StepResult } from '@chandlery/runtime';
import { createController, setCondition } from '@chandlery/runtime';
import { clusterProviders, type Provider, providerNames } from '../../kinds/index.ts';
import { builtInProviderName, clusterProviderClass } from '../../model/operator/provider-class.ts';
import { remainingText } from '../../model/operator/remaining.ts';
import { createOperatorDeps } from './create-operator-deps.ts';
import { listClusters } from './dependants.ts';
import { handleOperationAnnotation } from './handle-operation-annotation.ts';
import type { OperatorContext } from './operator-context.ts';
import type { OperatorDeps } from './operator-deps.ts';
import { controllerBasics } from './provider-controller.ts';
import { clusterSources } from './related-sources.ts';
import { reportInit, reportProviderReady, setPhase } from './report.ts';

const image = 'chandlery/built-in';

/** Creates the ClusterProvider of this program itself, unless it exists. */
export async function seedBuiltInProvider(platform: Client): Promise<void> {
  const spec = { image } as Provider['spec'];
  try {
    await platform.create(clusterProviders.ref, clusterProviders.object({ name: builtInProviderName }, spec));
  } catch (thrown) {
    if (!isError(thrown, 'AlreadyExists')) throw thrown;
  }
}

interface BuiltInDeps extends OperatorDeps {
  hasProfile(): boolean;
  listClusters: OperatorDeps['listDependants'];
}

/** Starts the controller of the built-in ClusterProvider, for which nothing is deployed. */
export function startBuiltInController(context: OperatorContext): Controller {
  const isOwn = (name: string | undefined): boolean => name === builtInProviderName;
  const { platform } = context.options;
  const controller = createController<Provider, BuiltInDeps>({
    ...controllerBasics(context, clusterProviderClass),
    name: 'built-in-provider',
    filter: isOwn,
    watches: clusterSources(context, () => [builtInProviderName]),
    finalizer: providerNames.providerFinalizer,
    steps: [handleOperationAnnotation, reportBuiltIn],
    onDelete: [handleOperationAnnotation, waitForClusters],
    needs: {
      ...createOperatorDeps(context, clusterProviderClass, () => undefined),
      hasProfile: () => context.profiles.list().some(({ spec }) => isOwn(spec.providerRef.name)),
      listClusters: provider => listClusters(platform, provider),
    },
  });
  controller.start();
  return controller;
}

/** Reports the provider ready while a ClusterProfile refers to it. */
function reportBuiltIn(provider: Provider, deps: BuiltInDeps, { now }: StepContext): StepResult {
  const nothing = 'The provider is part of this program: nothing is to be installed.';
  reportInit(provider, { status: 'True', reason: 'InitCompleted', message: nothing }, now);
  if (!deps.hasProfile()) {
    const message = `No ClusterProfile refers to ClusterProvider ${provider.metadata.name}: nothing can be scheduled to it.`;
    setCondition(provider, { type: 'Ready', status: 'False', reason: 'ProviderNotReady', message }, now);
    setPhase(provider, 'Progressing');
    return 'continue';
  }
  reportProviderReady(provider, deps, now);
  return 'continue';
}

/** Waits while clusters use the provider. */
async function waitForClusters(provider: Provider, deps: BuiltInDeps, { now }: StepContext): Promise<StepResult> {
  const remaining = await deps.listClusters(provider);
  if (remaining.length === 0) return 'continue';
  const message = `The provider stays until these are deleted: ${remainingText(remaining)}; delete them first.`;
  setCondition(provider, { type: 'Uninstalled', status: 'False', reason: 'TenantObjectsRemain', message }, now);
  return 'stop';
}
