import { invalidField, OrdersError } from '../../errors.ts';
import type { Service } from '../../kinds/index.ts';
import { controllerOf } from '../../model/services/convert-workflow.ts';
import type { OrderDeps } from './order-deps.ts';
import { checkDocument, planOrder } from './plan-order.ts';

/** A UUID in place of those that a service without orders does not have. */
const noId = '00000000-0000-0000-0000-000000000000';

/** Returns the check of services before they are stored: the controller, and the document that orders would get. Throws `invalid`. */
export const verifyService =
  (deps: Pick<OrderDeps, 'models' | 'dataProxy' | 'profile'>) =>
  async (spec: Service['spec'], tenant: string): Promise<void> => {
    const controller = controllerOf(spec);
    deps.models.verifyController(controller);
    const model = deps.models.find(controller);
    if (model?.provider === undefined) return;
    const values = (spec.parameters ?? []).map(({ name, default: value = 'value' }) => ({ name, value }));
    try {
      const order = { id: noId, tenant, service: noId };
      checkDocument(planOrder(deps, { service: { spec }, order, values }).document);
    } catch (error) {
      // What this machine cannot execute can still be described.
      if (error instanceof OrdersError && error.restCode === 'controller-not-orderable') return;
      throw error instanceof OrdersError ? error : invalidField('controller', String(error));
    }
  };
