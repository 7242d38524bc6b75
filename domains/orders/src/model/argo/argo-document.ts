import type { Parameter, WorkflowDocument, WorkflowSpec } from '@chandlery/workflow';
import { invalidField, OrdersError } from '../../errors.ts';
import { workflowLabels } from '../../kinds/workflows/index.ts';
import { workflowNamespace } from '../documents/order-document.ts';
import type { ArgoSettings } from './argo-settings.ts';

/** Objects of etcd have at most 1.5 MiB; Argo adds the status to what is handed in. */
const maxDocumentBytes = 1024 * 1024;

/** Returns the namespace in which Argo executes Workflows of a tenant. */
export const argoNamespace = ({ namespace }: ArgoSettings, tenant: string): string =>
  namespace ?? workflowNamespace(tenant);

/**
 * Returns the document of an order as the Argo of a cluster takes it. Throws `invalid` for values that Argo would read
 * as tags, because it has no inert values, and `too-large` for a document that its cluster could not store.
 */
export function argoDocument(document: WorkflowDocument, settings: ArgoSettings, tenant: string): WorkflowDocument {
  for (const parameter of document.spec.arguments?.parameters ?? []) rejectTags(parameter, settings.cluster);
  const { instanceId } = settings;
  const adapted: WorkflowDocument = {
    ...document,
    metadata: {
      ...document.metadata,
      namespace: argoNamespace(settings, tenant),
      labels: { ...document.metadata.labels, ...(instanceId && { [workflowLabels.instanceId]: instanceId }) },
    },
    spec: withAccounts(document.spec, settings),
  };
  if (Buffer.byteLength(JSON.stringify(adapted)) > maxDocumentBytes)
    throw new OrdersError('too-large', `The Workflow has more than ${maxDocumentBytes} bytes: pass data as artifacts`);
  return adapted;
}

function rejectTags({ name, value }: Parameter, cluster: string): void {
  if (typeof value !== 'string' || !value.includes('{{')) return;
  throw invalidField(
    name,
    `The value of '${name}' contains '{{', which the Argo of cluster '${cluster}' would replace`,
  );
}

/** Without an account of its own, Argo's container of a pod needs the token that the pod's account gives. */
function withAccounts(spec: WorkflowSpec, { serviceAccount, executorServiceAccount }: ArgoSettings): WorkflowSpec {
  const { automountServiceAccountToken: _, ...plain } = spec as WorkflowSpec & Record<string, unknown>;
  const executor = { automountServiceAccountToken: false, executor: { serviceAccountName: executorServiceAccount } };
  return {
    ...plain,
    ...(executorServiceAccount !== undefined && executor),
    ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
  };
}
