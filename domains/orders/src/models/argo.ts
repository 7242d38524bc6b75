import { planArgoDocument, planArgoSpec } from '../model/documents/argo-plan.ts';
import { free, text } from './field-schemas.ts';
import { objectSchema } from './model-registry.ts';
import { noOrder } from './no-order.ts';
import type { ServiceModel } from './service-model.ts';

/** The spec of a Workflow, in the controller itself. */
export const argoSpecModel: ServiceModel = {
  schema: 'urn:ivcap:schema:service.argo-wf.1',
  orderable: true,
  jsonSchema: objectSchema({ entrypoint: text, templates: { type: 'array', items: free } }, []),
  verifyController: controller => void planArgoSpec({ controller, ...noOrder }),
  provider: { plan: planArgoSpec },
};

/** A whole Workflow below `workflow`. */
export const argoModel: ServiceModel = {
  schema: 'urn:ivcap:schema:service.argo.1',
  orderable: true,
  jsonSchema: objectSchema({ workflow: free }, ['workflow']),
  verifyController: controller => void planArgoDocument({ controller, ...noOrder }),
  provider: { plan: planArgoDocument },
};
