import { planBatch } from '../model/documents/container-plan.ts';
import { command, free, text } from './field-schemas.ts';
import { objectSchema } from './model-registry.ts';
import { noOrder } from './no-order.ts';
import type { ServiceModel } from './service-model.ts';

/** A container per job, which takes the job from the data proxy and returns its result there. */
export const batchModel: ServiceModel = {
  schema: 'urn:ivcap:schema:service.batch.1',
  orderable: true,
  jsonSchema: objectSchema({ image: text, command, resources: free }, ['image']),
  verifyController: controller => void planBatch({ controller, ...noOrder }),
  provider: { plan: planBatch },
};
