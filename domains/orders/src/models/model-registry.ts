import type { JsonObject } from '@chandlery/api';
import { Compile, type Validator } from 'typebox/schema';
import { invalidField, OrdersError } from '../errors.ts';
import type { Json } from '../model/bodies/body-fields.ts';
import { normalizeSchema } from '../model/schema-names.ts';
import type { OrderProvider, ServiceModel } from './service-model.ts';

interface KnownModel {
  readonly model: ServiceModel;
  readonly validator: Pick<Validator, 'Errors'>;
}

/** All models by their schemas. Schemas are compared in their normalised spelling, versions included. */
export class ModelRegistry {
  readonly #models = new Map<string, KnownModel>();

  /** A later model replaces an earlier one of the same schema. */
  constructor(models: readonly ServiceModel[]) {
    for (const model of models) {
      const known = { model, validator: Compile(model.jsonSchema) };
      for (const schema of [model.schema, ...(model.aliases ?? [])]) this.#models.set(normalizeSchema(schema), known);
    }
  }

  /** Returns the model of a controller; undefined when it is unknown. */
  find(controller: Json | undefined): ServiceModel | undefined {
    return this.#find(controller)?.model;
  }

  /** Checks a controller whose model is known; others are accepted. Throws `invalid`. */
  verifyController(controller: Json | undefined): void {
    const known = this.#find(controller);
    if (known === undefined || controller === undefined) return;
    const [, errors] = known.validator.Errors(controller);
    const [error] = errors;
    if (error !== undefined) throw controllerError(error);
    known.model.verifyController?.(controller);
  }

  /** Returns what executes orders, or jobs. Throws `controller-not-orderable` and `controller-unknown`. */
  providerOf(controller: Json | undefined, purpose: 'order' | 'job'): OrderProvider {
    const model = this.find(controller);
    if (model === undefined) throw unknownController(controller?.['$schema']);
    const { orderable, acceptsJobs = orderable, provider } = model;
    const isPossible = purpose === 'order' ? orderable : acceptsJobs;
    if (!isPossible || provider === undefined) throw notOrderable(model, controller?.['$schema']);
    return provider;
  }

  #find(controller: Json | undefined): KnownModel | undefined {
    const schema = controller?.['$schema'];
    return typeof schema === 'string' ? this.#models.get(normalizeSchema(schema)) : undefined;
  }
}

interface SchemaError {
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

function controllerError({ instancePath, message, params }: SchemaError): OrdersError {
  const { requiredProperties: [missing] = [] } = params as { readonly requiredProperties?: readonly string[] };
  const path = instancePath.split('/').slice(1);
  const name = ['controller', ...path, ...(missing === undefined ? [] : [missing])].join('.');
  return invalidField(name, missing === undefined ? `${name} ${message}` : `${name} is required`);
}

const unknownController = (schema: unknown): OrdersError =>
  new OrdersError(
    'controller-unknown',
    typeof schema === 'string'
      ? `No model executes services of the controller schema ${schema}`
      : 'The controller of the service names no $schema, so no model executes it',
    { name: 'service', ...(schema === undefined ? {} : { value: schema }) },
  );

const notOrderable = ({ usage }: ServiceModel, schema: unknown): OrdersError =>
  new OrdersError(
    'controller-not-orderable',
    `Services of the controller schema ${String(schema)} cannot be ordered${usage === undefined ? '' : `. ${usage}`}`,
    { name: 'service', value: schema },
  );

/** The JSON Schema of an object with fields, of which some are required. Further fields are allowed. */
export const objectSchema = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
});
