import { systemNamespace } from '@chandlery/clusters/kinds';
import { type StepContext, type StepResult, setCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import { buildAccess, buildTenantNamespaceRole } from '../../model/operator/access-objects.ts';
import { runRights } from '../../model/operator/access-rules.ts';
import { readLiveness } from '../../model/operator/liveness.ts';
import { buildMetricsService } from '../../model/operator/metrics-service.ts';
import { ownDefinitions } from '../../model/operator/own-kinds.ts';
import { readRollout } from '../../model/operator/rollout.ts';
import { buildRunDeployment } from '../../model/operator/run-deployment.ts';
import type { OperatorDeps } from './operator-deps.ts';

/** Keeps the provider running: account and rights, Deployment, metrics Service. */
export async function ensureRun(provider: Provider, deps: OperatorDeps, { now }: StepContext): Promise<StepResult> {
  const { providerClass, environment } = deps;
  const { name = '' } = provider.metadata;
  const rights = runRights(providerClass, name, ownDefinitions(deps.platformDefinitions(), name));
  await deps.apply([
    buildTenantNamespaceRole(),
    ...buildAccess(providerClass, provider, { part: 'controller', rights }),
  ]);
  if (!deps.runsPods) {
    setCondition(provider, readLiveness(deps.findLiveness(provider), now), now);
    return 'continue';
  }
  await ensureMetrics(provider, deps);
  const hasWebhookTls = deps.hasWebhookTls(provider);
  const deployment = buildRunDeployment(providerClass, provider, { environment, hasWebhookTls });
  const [live = deployment] = await deps.apply([{ plural: 'deployments', object: deployment }]);
  setCondition(provider, readRollout(live, deps.findRunObstacle(provider)), now);
  return 'continue';
}

async function ensureMetrics(provider: Provider, deps: OperatorDeps): Promise<void> {
  const service = buildMetricsService(deps.providerClass, provider);
  if (service === undefined) {
    await deps.removeMetricsService(provider);
    const { metrics: _, ...status } = provider.status ?? {};
    provider.status = status;
    return;
  }
  await deps.apply([{ plural: 'services', object: service }]);
  const serviceRef = { name: service.metadata.name ?? '', namespace: systemNamespace };
  provider.status = { ...provider.status, metrics: { serviceRef } };
}
