import { systemNamespace } from '@chandlery/clusters/kinds';
import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { buildAccess, buildTenantNamespaceRole } from '../../model/operator/access-objects.ts';
import { runRights } from '../../model/operator/access-rules.ts';
import { buildMetricsService } from '../../model/operator/metrics-service.ts';
import { ownDefinitions } from '../../model/operator/own-kinds.ts';
import { readRollout } from '../../model/operator/rollout.ts';
import { buildRunDeployment } from '../../model/operator/run-deployment.ts';
import type { OperatorNeeds } from './needs.ts';

/** Keeps the provider running: its account and rights, its Deployment, its metrics. */
export async function ensureRun(provider: Provider, needs: OperatorNeeds, { now }: StepContext): Promise<StepResult> {
  const { providerClass, environment } = needs;
  const { name = '' } = provider.metadata;
  const rights = runRights(providerClass, name, ownDefinitions(needs.platformDefinitions(), name));
  await needs.apply([
    buildTenantNamespaceRole(),
    ...buildAccess(providerClass, provider, { part: 'controller', rights }),
  ]);
  if (!needs.runsPods) {
    const message = 'The landscape runs no pods; the provider runs elsewhere and is not watched.';
    setCondition(provider, { type: 'RunReady', status: 'True', reason: 'RunsElsewhere', message }, now);
    return 'continue';
  }
  await ensureMetrics(provider, needs);
  const hasWebhookTls = needs.hasWebhookTls(provider);
  const deployment = buildRunDeployment(providerClass, provider, { environment, hasWebhookTls });
  const [live = deployment] = await needs.apply([{ plural: 'deployments', object: deployment }]);
  setCondition(provider, readRollout(live), now);
  return 'continue';
}

async function ensureMetrics(provider: Provider, needs: OperatorNeeds): Promise<void> {
  const service = buildMetricsService(needs.providerClass, provider);
  if (service === undefined) {
    await needs.removeMetricsService(provider);
    const { metrics: _, ...status } = provider.status ?? {};
    provider.status = status;
    return;
  }
  await needs.apply([{ plural: 'services', object: service }]);
  const serviceRef = { name: service.metadata.name ?? '', namespace: systemNamespace };
  provider.status = { ...provider.status, metrics: { serviceRef } };
}
