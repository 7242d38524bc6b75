import type { JsonObject } from '@chandlery/api';
import { Compile, type Validator } from 'typebox/schema';
import { invalidField, OrdersError } from '../errors.ts';
import type { Json } from '../model/bodies/body-fields.ts';
import { normalizeSchema } from '../model/schema-names.ts';
import type { OrderProvider, ServiceHosting, ServiceModel } from './service-model.ts';

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
    known.model.hosting?.read(controller);
  }

  /** Returns the model of a service that can be ordered, or takes jobs. Throws `controller-not-orderable` and `controller-unknown`. */
  modelFor(controller: Json | undefined, purpose: 'order' | 'job'): ServiceModel {
    const model = this.find(controller);
    if (model === undefined) throw unknownController(controller?.['$schema']);
    const { orderable, acceptsJobs = orderable } = model;
    if (purpose === 'order' ? orderable : acceptsJobs) return model;
    throw notOrderable(model, controller?.['$schema']);
  }

  /** Returns what makes documents of orders, or of jobs. Throws as {@link modelFor}, also when a process of the service takes the jobs. */
  providerOf(controller: Json | undefined, purpose: 'order' | 'job'): OrderProvider {
    const model = this.modelFor(controller, purpose);
    if (model.provider === undefined) throw notOrderable(model, controller?.['$schema']);
    return model.provider;
  }

  /** Returns how the process of a service is made; undefined for services that have none. */
  hostingOf(controller: Json | undefined): ServiceHosting | undefined {
    return this.find(controller)?.hosting;
  }

  /** The schemas, normalised, of all models whose services have processes. */
  hostedSchemas(): readonly string[] {
    return [...this.#models].filter(([, { model }]) => model.hosting !== undefined).map(([schema]) => schema);
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
