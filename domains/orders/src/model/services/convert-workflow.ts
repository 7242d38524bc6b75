import { isJsonObject, type Json } from '../bodies/body-fields.ts';
import { controllerSchemaOf } from '../schema-names.ts';

/** The schemas that a workflow of generation 1 stands for. */
const basicSchema = 'urn:ivcap:schema:service.basic.1';
const argoSchema = 'urn:ivcap:schema:service.argo.1';

/** What of a service says how it is executed. */
export interface ExecutionSpec {
  readonly controller?: Json;
  readonly workflow?: Json;
}

/**
 * Returns the controller of a service of either generation: the one shape that everything but the REST API of generation 1
 * knows. Undefined when the service has none that can be read.
 */
export function controllerOf({ controller, workflow }: ExecutionSpec): Json | undefined {
  if (controller !== undefined) return controller;
  const { type, basic, argo } = workflow ?? {};
  if (type === 'basic' && isJsonObject(basic)) return { $schema: basicSchema, ...basic };
  if (type === 'argo' && isJsonObject(argo)) return { $schema: argoSchema, workflow: argo };
  return undefined;
}

/** Returns the workflow of generation 1 of a service, as far as that generation can say it. */
export function workflowOf(spec: ExecutionSpec): Json | undefined {
  const { controller, workflow } = spec;
  if (workflow !== undefined || controller === undefined) return workflow;
  const { $schema: _, ...rest } = controller;
  switch (controllerSchemaOf(controller)) {
    case basicSchema:
      return { type: 'basic', basic: rest };
    case argoSchema:
      return { type: 'argo', argo: rest['workflow'] };
    default:
      return undefined;
  }
}
