/**
 * Models of execution: what `controller.$schema` of a service chooses from.
 *
 * A model is one module that exports a {@link ServiceModel}. `builtInModels` has those of the repository; `loadModels` reads
 * others from modules that the configuration names.
 */
import { appServerModel } from './app-server/app-server-model.ts';
import { argoModel, argoSpecModel } from './argo.ts';
import { basicModel } from './basic.ts';
import { batchModel } from './batch.ts';
import { restModel, serviceProxyModel } from './hosted.ts';
import { nextflowModel } from './nextflow.ts';
import type { ServiceModel } from './service-model.ts';

export { loadModels } from './load-models.ts';
export { ModelRegistry } from './model-registry.ts';
export type { ServiceModel } from './service-model.ts';

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
