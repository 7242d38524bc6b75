import type { JsonObject } from '@chandlery/api';
import type { RouteDocument } from '@chandlery/http';
import type { ProductNames } from '../../model/product-names.ts';
import { parameters } from './parameters.ts';
import type { DocumentedRoute } from './route-document.ts';
import { routeDocuments } from './route-documents.ts';
import { schemasOf } from './schemas.ts';

/** Routes below one root. */
export interface DocumentedApi {
  readonly names: ProductNames;
  readonly routes: readonly DocumentedRoute[];
}

/** The OpenAPI 3.0 document of APIs; the first one names the kinds in shared schemas. */
export function openApiDocument(title: string, apis: readonly DocumentedApi[]): JsonObject {
  return {
    openapi: '3.0.3',
    info: {
      title,
      version: '1.0.0',
      description: 'Orders and runs instances of managed products on data-plane clusters.',
    },
    paths: Object.assign({}, ...apis.map(pathsOf)) as JsonObject,
    components: {
      schemas: Object.assign({}, ...apis.map(({ names }) => schemasOf(names))) as JsonObject,
      parameters,
      responses: { Error: { description: 'Why it cannot be done', content: jsonOf('Error') } },
      securitySchemes: { Bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function pathsOf({ names, routes }: DocumentedApi): JsonObject {
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, ofPath]) => {
    const operations = ofPath.map(route => [route.method.toLowerCase(), operationOf(route, names)] as const);
    return [names.root + path.replaceAll('{collection}', names.collection), Object.fromEntries(operations)] as const;
  });
  return Object.fromEntries(paths);
}

function operationOf({ method, path, family }: DocumentedRoute, names: ProductNames): JsonObject {
  const document = routeDocuments.get(`${method} ${path}`);
  if (document === undefined) throw new Error(`no document of ${method} ${path}`);
  const words = `${names.collection} ${path}`.split(/[^A-Za-z0-9]+/).filter(word => word !== '');
  const { tag, summary, body } = document;
  return {
    operationId: method.toLowerCase() + words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(''),
    tags: [tag],
    summary,
    parameters: [
      ...pathParameters(path),
      ...(document.parameters ?? []).map(name => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonOf(schemaName(body, names)) } }),
    responses: { ...responsesOf(document, names), default: { $ref: '#/components/responses/Error' } },
    security: family === 'open' ? [] : [{ Bearer: [] }],
  };
}

const pathParameters = (path: string): JsonObject[] =>
  [...path.matchAll(/\{(\w+)\}/g)]
    .filter(([, name]) => name !== 'collection')
    .map(([, name = '']) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));

function responsesOf({ responses }: RouteDocument, names: ProductNames): JsonObject {
  const entries = Object.entries(responses).map(([status, schema]) => [status, responseOf(schema, names)] as const);
  return Object.fromEntries(entries);
}

function responseOf(schema: string, names: ProductNames): JsonObject {
  if (schema === '') return { description: 'Without a body' };
  if (schema === 'text')
    return { description: 'Plain text', content: { 'text/plain': { schema: { type: 'string' } } } };
  return { description: 'The result', content: jsonOf(schemaName(schema, names)) };
}

const schemaName = (name: string, { kind }: ProductNames): string => name.replaceAll('{Kind}', kind);

const jsonOf = (schema: string): JsonObject => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
});
