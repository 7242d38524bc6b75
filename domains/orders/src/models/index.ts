/**
 * Models of execution: what `controller.$schema` of a service chooses from.
 *
 * A model is one module that exports a {@link ServiceModel}. `builtInModels` has those of the repository; `loadModels` reads
 * others from modules that the configuration names.
 */
import { argoModel, argoSpecModel } from './argo.ts';
import { basicModel } from './basic.ts';
import { batchModel } from './batch.ts';
import { nextflowModel } from './nextflow.ts';
import { appServerModel, restModel, serviceProxyModel } from './not-orderable.ts';
import type { ServiceModel } from './service-model.ts';

export { loadModels } from './load-models.ts';
export { ModelRegistry } from './model-registry.ts';
export type { OrderProvider, ServiceModel } from './service-model.ts';

/** The models of the repository. */
export const builtInModels: readonly ServiceModel[] = [
  basicModel,
  batchModel,
  argoSpecModel,
  argoModel,
  nextflowModel(),
  restModel,
  serviceProxyModel,
  appServerModel,
];
