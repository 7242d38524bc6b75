import { type ErrorCause, fieldCause, isRecord } from '@chandlery/api';
import type { JsonRecord } from './json.ts';

/** A CustomResourceDefinition's schema is a tenant's text: nothing about it is certain before this check. */
export const maxSchemaDepth = 100;
export const maxSchemaNodes = 100_000;

type Expectation = 'text' | 'flag' | 'number' | 'count' | 'texts' | 'list';

const expectations: Readonly<Record<string, Expectation>> = {
  type: 'text',
  title: 'text',
  description: 'text',
  format: 'text',
  pattern: 'text',
  nullable: 'flag',
  uniqueItems: 'flag',
  exclusiveMinimum: 'flag',
  exclusiveMaximum: 'flag',
  minimum: 'number',
  maximum: 'number',
  multipleOf: 'number',
  minLength: 'count',
  maxLength: 'count',
  minItems: 'count',
  maxItems: 'count',
  minProperties: 'count',
  maxProperties: 'count',
  required: 'texts',
  enum: 'list',
  'x-kubernetes-preserve-unknown-fields': 'flag',
  'x-kubernetes-int-or-string': 'flag',
  'x-kubernetes-embedded-resource': 'flag',
  'x-kubernetes-list-type': 'text',
  'x-kubernetes-list-map-keys': 'texts',
  'x-kubernetes-map-type': 'text',
  'x-kubernetes-validations': 'list',
  'x-kubernetes-patch-strategy': 'text',
  'x-kubernetes-patch-merge-key': 'text',
};

const meets: Readonly<Record<Expectation, (value: unknown) => boolean>> = {
  text: value => typeof value === 'string',
  flag: value => typeof value === 'boolean',
  number: value => typeof value === 'number' || typeof value === 'bigint',
  count: value => Number.isInteger(value),
  texts: value => Array.isArray(value) && value.every(item => typeof item === 'string'),
  list: value => Array.isArray(value),
};

const words: Readonly<Record<Expectation, string>> = {
  text: 'string',
  flag: 'boolean',
  number: 'number',
  count: 'integer',
  texts: 'array of strings',
  list: 'array',
};

interface Tour {
  readonly causes: ErrorCause[];
  nodes: number;
}

/** Wrong types of keywords, and schemas too deep or too large. Only a schema that passes is looked at further. */
export function checkShape(schema: unknown, path: string): ErrorCause[] {
  const tour: Tour = { causes: [], nodes: 0 };
  visit(schema, path, 0, tour);
  if (tour.nodes > maxSchemaNodes) {
    tour.causes.push(fieldCause.forbidden(path, `must not hold more than ${maxSchemaNodes} schemas`));
  }
  return tour.causes;
}

function visit(schema: unknown, path: string, depth: number, tour: Tour): void {
  if (++tour.nodes > maxSchemaNodes) return;
  if (depth > maxSchemaDepth) {
    tour.causes.push(fieldCause.forbidden(path, `must not be nested deeper than ${maxSchemaDepth} levels`));
  } else if (!isRecord(schema)) refuse(path, schema, 'object', tour);
  else {
    checkKeywords(schema, path, tour);
    visitChildren(schema, path, depth + 1, tour);
  }
}

function checkKeywords(schema: JsonRecord, path: string, tour: Tour): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const expectation = Object.hasOwn(expectations, keyword) ? expectations[keyword] : undefined;
    if (value === undefined || expectation === undefined || meets[expectation](value)) continue;
    refuse(`${path}.${keyword}`, value, words[expectation], tour);
  }
}

function visitChildren(schema: JsonRecord, path: string, depth: number, tour: Tour): void {
  const { items, not, properties, additionalProperties } = schema;
  if (Array.isArray(items)) {
    tour.causes.push(fieldCause.forbidden(`${path}.items`, 'items must be a schema object and not an array'));
  } else if (items !== undefined) visit(items, `${path}.items`, depth, tour);
  if (not !== undefined) visit(not, `${path}.not`, depth, tour);
  if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') {
    visit(additionalProperties, `${path}.additionalProperties`, depth, tour);
  }
  visitProperties(properties, `${path}.properties`, depth, tour);
  for (const junctor of ['allOf', 'anyOf', 'oneOf']) visitList(schema[junctor], `${path}.${junctor}`, depth, tour);
}

function visitProperties(properties: unknown, path: string, depth: number, tour: Tour): void {
  if (properties === undefined) return;
  if (!isRecord(properties)) {
    refuse(path, properties, 'object', tour);
    return;
  }
  for (const [name, property] of Object.entries(properties)) visit(property, `${path}[${name}]`, depth, tour);
}

function visitList(schemas: unknown, path: string, depth: number, tour: Tour): void {
  if (schemas === undefined) return;
  if (!Array.isArray(schemas)) refuse(path, schemas, 'array', tour);
  else for (const [index, schema] of schemas.entries()) visit(schema, `${path}[${index}]`, depth, tour);
}

function refuse(path: string, value: unknown, expected: string, tour: Tour): void {
  tour.causes.push(fieldCause.typeInvalid(path, value, `must be of type ${expected}`));
}
