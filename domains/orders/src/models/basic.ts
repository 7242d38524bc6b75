import { planBasic } from '../model/documents/container-plan.ts';
import { command, free, text } from './field-schemas.ts';
import { objectSchema } from './model-registry.ts';
import { noOrder } from './no-order.ts';
import type { ServiceModel } from './service-model.ts';

/** One container, whose parameters are its command line. */
export const basicModel: ServiceModel = {
  schema: 'urn:ivcap:schema:service.basic.1',
  orderable: true,
  jsonSchema: objectSchema(
    {
      image: text,
      command,
      cpu: free,
      memory: free,
      'ephemeral-storage': free,
      'gpu-number': { type: 'integer', minimum: 0 },
      'gpu-type': { type: 'string' },
      'image-pull-policy': { enum: ['Always', 'IfNotPresent', 'Never'] },
      'shared-memory': { type: 'string' },
    },
    ['image'],
  ),
  verifyController: controller => void planBasic({ controller, ...noOrder }),
  provider: { plan: planBasic },
};
