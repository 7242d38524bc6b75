import { type StepContext, setCondition } from '@chandlery/runtime';
import type { AccessRequest } from '../../kinds/index.ts';
import { kubeconfigSecretName } from '../../model/access/access-names.ts';
import type { AccessDeps } from './access-deps.ts';

/** Reports that everything the request asks for exists. */
export function reportGranted(request: AccessRequest, deps: Pick<AccessDeps, 'record'>, context: StepContext): void {
  const wasGranted = request.status?.phase === 'Granted';
  const name = kubeconfigSecretName(request.metadata.name ?? '');
  request.status = { ...request.status, phase: 'Granted', secretRef: { name } };
  const message = `The kubeconfig is in the Secret "${name}".`;
  setCondition(request, { type: 'Ready', status: 'True', reason: 'AccessGranted', message }, context.now);
  if (wasGranted) return;
  const { clusterRef } = request.spec;
  const cluster = `${clusterRef?.namespace ?? ''}/${clusterRef?.name ?? ''}`;
  const text = `Secret "${name}" gives access to the cluster "${cluster}"`;
  deps.record(request, { type: 'Normal', reason: 'AccessGranted', message: text });
}
