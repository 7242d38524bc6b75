import { type ErrorCause, fieldCause, type StructuralSchema } from '@chandlery/api';
import { tidyCauses } from './findings.ts';
import { checkDefaults } from './structural-defaults.ts';
import { checkImpliedFields } from './structural-implied-fields.ts';
import { checkJunctors } from './structural-junctors.ts';
import { checkListExtensions } from './structural-lists.ts';
import { checkPatterns } from './structural-patterns.ts';
import { checkShape } from './structural-shape.ts';

type Level = 'root' | 'field' | 'item';

/**
 * What keeps a schema from being structural in Kubernetes' sense; empty when nothing does. Takes anything, since a
 * CustomResourceDefinition may hold anything there. `path` is where the schema stands, for the causes' fields.
 */
export function checkStructural(schema: unknown, path: string): ErrorCause[] {
  const shape = checkShape(schema, path);
  if (shape.length > 0) return tidyCauses(shape);
  const structural = schema as StructuralSchema;
  const causes = [...checkNode(structural, path, 'root'), ...checkPatterns(structural, path)];
  // A default can be judged only by a schema that can be compiled.
  return tidyCauses(causes.length > 0 ? causes : checkDefaults(structural, path));
}

function checkNode(schema: StructuralSchema, path: string, level: Level): ErrorCause[] {
  return [
    ...checkUnsupported(schema, path),
    ...checkType(schema, path, level),
    ...checkObjectKeywords(schema, path, level),
    ...checkExtensions(schema, path),
    ...checkListExtensions(schema, path),
    ...checkValues(schema, path),
    ...(level === 'root' || schema['x-kubernetes-embedded-resource'] === true ? checkImpliedFields(schema, path) : []),
    ...checkJunctors(schema, path),
    ...checkJunctorValues(schema, path),
    ...checkChildren(schema, path),
  ];
}

function checkChildren(schema: StructuralSchema, path: string): ErrorCause[] {
  const { additionalProperties, items } = schema;
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      checkNode(property, `${path}.properties[${name}]`, 'field'),
    ),
    ...(typeof additionalProperties === 'object'
      ? checkNode(additionalProperties, `${path}.additionalProperties`, 'field')
      : []),
    ...(items === undefined ? [] : checkNode(items, `${path}.items`, 'item')),
  ];
}

const unsupportedKeywords = ['$ref', 'id', 'definitions', 'dependencies', 'patternProperties', 'additionalItems'];

function checkUnsupported(schema: StructuralSchema, path: string): ErrorCause[] {
  return unsupportedKeywords
    .filter(keyword => Object.hasOwn(schema, keyword))
    .map(keyword => fieldCause.forbidden(`${path}.${keyword}`, `${keyword} is not supported`));
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'] as const;
const places = {
  root: 'at the root',
  field: 'for specified object fields',
  item: 'for specified array items',
} as const;

function checkType(schema: StructuralSchema, path: string, level: Level): ErrorCause[] {
  const field = `${path}.type`;
  const { type } = schema;
  const isFree =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (type === undefined || (type as string) === '') {
    return isFree ? [] : [fieldCause.required(field, `must not be empty ${places[level]}`)];
  }
  if (!types.includes(type)) return [fieldCause.notSupported(field, type, types)];
  if (level === 'root' && type !== 'object') return [fieldCause.invalid(field, type, 'must be object at the root')];
  if (schema['x-kubernetes-int-or-string'] === true) {
    return [fieldCause.invalid(field, type, 'must be empty if x-kubernetes-int-or-string is true')];
  }
  if (type === 'array' && schema.items === undefined)
    return [fieldCause.required(`${path}.items`, 'must be specified')];
  return [];
}

function checkObjectKeywords(schema: StructuralSchema, path: string, level: Level): ErrorCause[] {
  const field = `${path}.additionalProperties`;
  const { additionalProperties, properties } = schema;
  const causes: ErrorCause[] = [];
  const forbid = (rule: string): number => causes.push(fieldCause.forbidden(field, rule));
  if (additionalProperties === false) forbid('additionalProperties cannot be set to false');
  if (additionalProperties !== undefined && level === 'root') forbid('must not be used at the root');
  if (additionalProperties !== undefined && Object.keys(properties ?? {}).length > 0) {
    forbid('additionalProperties and properties are mutual exclusive');
  }
  if (properties !== undefined && Object.hasOwn(properties, '__proto__')) {
    causes.push(fieldCause.forbidden(`${path}.properties[__proto__]`, 'this name is not supported'));
  }
  return causes;
}

function checkExtensions(schema: StructuralSchema, path: string): ErrorCause[] {
  const preserve = schema['x-kubernetes-preserve-unknown-fields'];
  const field = `${path}.x-kubernetes-preserve-unknown-fields`;
  if (preserve === false) return [fieldCause.invalid(field, false, 'must be true or undefined')];
  if (preserve === true && schema['x-kubernetes-int-or-string'] === true) {
    return [fieldCause.invalid(field, true, 'must be false if x-kubernetes-int-or-string is true')];
  }
  return schema['x-kubernetes-embedded-resource'] === true ? checkEmbedded(schema, path) : [];
}

function checkEmbedded(schema: StructuralSchema, path: string): ErrorCause[] {
  const causes: ErrorCause[] = [];
  if (schema.type !== 'object') {
    const rule = 'must be object if x-kubernetes-embedded-resource is true';
    causes.push(fieldCause.invalid(`${path}.type`, schema.type ?? '', rule));
  }
  if (schema.additionalProperties !== undefined) {
    const rule = 'must not be used if x-kubernetes-embedded-resource is set';
    causes.push(fieldCause.forbidden(`${path}.additionalProperties`, rule));
  }
  const isEmpty = Object.keys(schema.properties ?? {}).length === 0;
  if (isEmpty && schema['x-kubernetes-preserve-unknown-fields'] !== true) {
    const rule =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    causes.push(fieldCause.required(`${path}.properties`, rule));
  }
  return causes;
}

function checkValues(schema: StructuralSchema, path: string): ErrorCause[] {
  const causes: ErrorCause[] = [];
  const { multipleOf, uniqueItems } = schema;
  if (uniqueItems === true) {
    const rule = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    causes.push(fieldCause.forbidden(`${path}.uniqueItems`, rule));
  }
  if (multipleOf !== undefined && multipleOf <= 0) {
    causes.push(fieldCause.invalid(`${path}.multipleOf`, multipleOf, 'must be greater than 0'));
  }
  return causes;
}

/** Values and references inside junctors, however deep: they are compiled like all others. */
function checkJunctorValues(schema: StructuralSchema, path: string): ErrorCause[] {
  const visit = (inner: StructuralSchema, at: string): ErrorCause[] => [
    ...checkUnsupported(inner, at),
    ...checkValues(inner, at),
    ...checkJunctorValues(inner, at),
    ...Object.entries(inner.properties ?? {}).flatMap(([name, child]) => visit(child, `${at}.properties[${name}]`)),
    ...(inner.items === undefined ? [] : visit(inner.items, `${at}.items`)),
  ];
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap(keyword =>
    (schema[keyword] ?? []).flatMap((inner, index) => visit(inner, `${path}.${keyword}[${index}]`)),
  );
  return schema.not === undefined ? lists : [...lists, ...visit(schema.not, `${path}.not`)];
}
