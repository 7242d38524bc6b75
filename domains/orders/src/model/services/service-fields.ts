import { invalidField } from '../../errors.ts';
import type { ParameterDefinition, Service } from '../../kinds/index.ts';
import { type FieldReader, fieldsOf, isJsonObject, type Json, withoutUndefined } from '../bodies/body-fields.ts';
import { findDefinitionProblem } from '../parameters/check-definitions.ts';
import { isSameSchema } from '../schema-names.ts';
import { openPolicy } from '../urns.ts';

type ServiceSpec = Service['spec'];

/** Fields that are read one by one, and those that only the server writes. Others are kept and echoed. */
const knownFields = new Set([
  ...['$schema', '$id', 'id', 'name', 'description', 'tags', 'parameters', 'request-schema', 'policy', 'contact'],
  ...['controller-schema', 'controller', 'workflow', 'license', 'banner', 'references'],
  ...['account', 'status', 'valid-from', 'valid-to', 'links', 'href', 'score'],
]);

/** Reads a service of generation 2. Throws `invalid` with the name of the field. */
export function readService2(body: Json): ServiceSpec {
  const fields = fieldsOf(body);
  const controller = fields.object('controller');
  if (controller === undefined) throw invalidField('controller', 'controller is missing');
  const controllerSchema = fields.text('controller-schema');
  const own = controller['$schema'];
  if (controllerSchema !== undefined && typeof own === 'string' && !isSameSchema(controllerSchema, own))
    throw invalidField(
      'controller-schema',
      `controller-schema differs from controller.$schema, ${own}`,
      controllerSchema,
    );
  return withoutUndefined({
    ...readCommon(fields, body),
    requestSchema: fields.object('request-schema'),
    contact: fields.object('contact'),
    license: fields.object('license'),
    controllerSchema: controllerSchema ?? (typeof own === 'string' ? own : undefined),
    controller,
  });
}

/** Reads a service of generation 1. Throws `invalid` with the name of the field. */
export function readService1(body: Json): ServiceSpec {
  const fields = fieldsOf(body);
  const workflow = fields.object('workflow');
  if (workflow === undefined) throw invalidField('workflow', 'workflow is missing');
  checkWorkflow(workflow);
  return { ...withoutUndefined(readCommon(fields, body)), workflow };
}

function readCommon(fields: FieldReader, body: Json): ServiceSpec {
  return {
    name: fields.text('name'),
    description: fields.requiredText('description'),
    tags: fields.texts('tags'),
    parameters: readParameters(fields),
    policy: fields.text('policy') ?? openPolicy.service,
    banner: fields.text('banner'),
    references: fields.objects('references'),
    extra: extraOf(body),
  };
}

function extraOf(body: Json): Json | undefined {
  const extra = Object.entries(body).filter(([name]) => !knownFields.has(name));
  return extra.length === 0 ? undefined : Object.fromEntries(extra);
}

function readParameters(fields: FieldReader): ParameterDefinition[] {
  const parameters = (fields.objects('parameters') ?? []).map(readParameter);
  const problem = findDefinitionProblem(parameters);
  if (problem !== undefined) throw invalidField(problem.path, problem.message, problem.value);
  return parameters;
}

function readParameter(body: Json, at: number): ParameterDefinition {
  const path = `parameters[${at}].`;
  const fields = fieldsOf(body, path);
  const options = fields.objects('options');
  return withoutUndefined({
    name: fields.requiredText('name'),
    type: fields.requiredText('type'),
    description: fields.text('description'),
    label: fields.text('label'),
    unit: fields.text('unit'),
    default: readDefault(body['default'], path),
    optional: fields.flag('optional'),
    constant: fields.flag('constant'),
    unary: fields.flag('unary'),
    options: options?.map((option, index) => readOption(option, `${path}options[${index}].`)),
  });
}

/** Defaults are texts whatever the type; clients that send numbers and booleans are understood. */
function readDefault(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalidField(`${path}default`, `${path}default must be text`, value);
}

function readOption(body: Json, path: string): NonNullable<ParameterDefinition['options']>[number] {
  const fields = fieldsOf(body, path);
  const value = fields.text('value');
  if (value === undefined) throw invalidField(`${path}value`, `${path}value is missing`);
  const { name, description } = { name: fields.text('name'), description: fields.text('description') };
  return { value, ...(name === undefined ? {} : { name }), ...(description === undefined ? {} : { description }) };
}

function checkWorkflow({ type, basic, argo }: Json): void {
  if (type !== 'basic' && type !== 'argo')
    throw invalidField('workflow.type', "workflow.type must be 'basic' or 'argo'", type);
  const body = type === 'basic' ? basic : argo;
  if (!isJsonObject(body)) throw invalidField(`workflow.${type}`, `workflow.${type} must be an object`, body);
  if (type === 'argo') return;
  const fields = fieldsOf(body, 'workflow.basic.');
  fields.requiredText('image');
  if (fields.texts('command') === undefined)
    throw invalidField('workflow.basic.command', 'workflow.basic.command is missing');
}
