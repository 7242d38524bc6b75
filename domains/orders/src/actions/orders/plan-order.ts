import { parseWorkflow, validateWorkflow, type WorkflowDocument } from '@chandlery/workflow';
import { invalidField } from '../../errors.ts';
import { artifactDrivers } from '../../kinds/index.ts';
import { type DocumentOrder, orderDocument } from '../../model/documents/order-document.ts';
import type { ParameterValue } from '../../model/parameters/verify-parameters.ts';
import { controllerOf } from '../../model/services/convert-workflow.ts';
import { standingQueue } from '../../model/standing-queue.ts';
import { urnOf } from '../../model/urns.ts';
import type { OrderRow, ServiceRow } from '../../registry/orders-registry.ts';
import type { OrderDeps } from './order-deps.ts';

type Deps = Pick<OrderDeps, 'models' | 'dataProxy' | 'profile'>;

/** The document of an order, and what its orderer should know. */
export interface PlannedOrder {
  readonly document: WorkflowDocument;
  readonly warnings: readonly string[];
}

export interface PlanRequest {
  readonly service: Pick<ServiceRow, 'spec'>;
  readonly order: DocumentOrder;
  readonly values: readonly ParameterValue[];
  /** Default: `order`. */
  readonly purpose?: 'order' | 'job';
}

/** Returns the Workflow of an order. Throws `controller-unknown`, `controller-not-orderable` and `invalid`. */
export function planOrder({ models, dataProxy, profile }: Deps, request: PlanRequest): PlannedOrder {
  const { service, order, values, purpose = 'order' } = request;
  const controller = controllerOf(service.spec);
  const provider = models.providerOf(controller, purpose);
  const plan = provider.plan({ controller: controller ?? {}, definitions: service.spec.parameters ?? [], values });
  const bind = (template: { readonly name: string }) => dataProxy.bind(order, template);
  return { document: orderDocument({ plan, order, profile, bind }), warnings: plan.warnings };
}

/** Throws `invalid` when no engine would accept the document. Values are left out: whatever they are, they are no part of it. */
export function checkDocument(document: WorkflowDocument): void {
  // Templates that it refers to are known where it is handed in, and checked there.
  if (/"(templateRef|workflowTemplateRef)":/.test(JSON.stringify(document.spec))) return;
  const parameters = (document.spec.arguments?.parameters ?? []).map(parameter =>
    parameter.value === undefined ? parameter : { ...parameter, value: 'value' },
  );
  const plain = { ...document, spec: { ...document.spec, arguments: { ...document.spec.arguments, parameters } } };
  const [problem] = problemsOf(plain);
  if (problem !== undefined) throw invalidField('controller', `The Workflow of the service is not valid: ${problem}`);
}

function problemsOf(document: WorkflowDocument): readonly string[] {
  try {
    return validateWorkflow(parseWorkflow(structuredClone(document)), { artifactDrivers });
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Returns which order a document is for. */
export const documentOrder = ({ id, tenant, spec }: OrderRow, run?: number): DocumentOrder => ({
  id,
  tenant,
  name: spec.name,
  service: spec.service.slice(urnOf('service', '').length),
  run,
  queue: standingQueue(spec),
});
