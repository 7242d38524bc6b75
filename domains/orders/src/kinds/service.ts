import { anything, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, flag, free, namedByUuid, rowStatus, text, texts, uniqueId } from './common.ts';
import { siteHostOf } from './site.ts';

const parameterOption = Type.Object({
  value: Type.String({ description: 'What an order gives.' }),
  name: text('Text for user interfaces.'),
  description: text('What it means.'),
});

/** One parameter of a service. Types and combinations are checked by `model/parameters`. */
const parameterDefinition = Type.Object({
  name: Type.String({ minLength: 1, description: 'Unique in the service.' }),
  type: Type.String({ description: 'string, int, float, bool, option, artifact, collection or queue.' }),
  description: text('What it is for.'),
  label: text('Text for user interfaces.'),
  unit: text('Text for user interfaces; never used for conversion.'),
  default: text('The value of orders that give none, as text whatever the type.'),
  optional: flag('Orders may leave it out.'),
  constant: flag('The service fixes the value, which is its default.'),
  unary: flag('A flag without a value on the command line.'),
  options: Type.Optional(Type.Array(parameterOption, { description: 'The values of the type option.' })),
});

/** The unique key of the host names of sites: no two tenants have the same. */
export const siteHostKey = 'site-host';

const isText = (value: string | undefined): value is string => value !== undefined;

/** A service that can be ordered or used. The name of the object is the UUID of its URN. */
export const services = defineKind({
  ...declared,
  kind: 'Service',
  shortNames: ['osvc'],
  description: 'A service: what it is for, its parameters, and by controller.$schema how it is executed.',
  spec: Type.Object({
    name: text('For people.'),
    description: text('What the service does.'),
    tags: texts('For searching.'),
    parameters: Type.Optional(Type.Array(parameterDefinition, { description: 'What an order can set.' })),
    requestSchema: free('The JSON Schema of the body of a job.'),
    policy: text('The URN of the policy.'),
    controllerSchema: text('The schema of the controller, as the author spelt it.'),
    controller: free('How the service is executed; its $schema names the model. Either this or workflow.'),
    workflow: free('How a service of generation 1 is executed: {type: basic | argo, basic | argo}. Converted on read.'),
    contact: free('{name, email, url}.'),
    license: free('{name, url}.'),
    banner: text('The URI of an image.'),
    references: Type.Optional(Type.Array(anything('{title, uri}.'), { description: 'Where to read more.' })),
    extra: free('Other fields that the author gave, echoed as they are.'),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [
    column('Display-Name', '.spec.name'),
    column('Controller', '.spec.controller.$schema'),
    column('Description', '.spec.description', 1),
    ageColumn,
  ],
  rules: [namedByUuid],
  uniqueKeys: [
    uniqueId,
    { name: siteHostKey, within: 'cluster', values: ({ spec }) => [siteHostOf(spec)].filter(isText) },
  ],
});

export type Service = ObjectOf<typeof services>;

/** One parameter of a service, as it is declared. */
export type ParameterDefinition = NonNullable<Service['spec']['parameters']>[number];
