import type { JsonObject } from '@chandlery/api';
import type { RouteDocument } from '@chandlery/http';
import type { Route } from '../rest/transport/route.ts';
import { otherRoutes } from './other-routes.ts';
import { parameters } from './parameters.ts';
import { schemas } from './schemas.ts';

/** What is documented of a route. */
export type DocumentedRoute = Pick<Route, 'path' | 'who'> & {
  readonly method: string;
  readonly document: RouteDocument;
};

/** The OpenAPI 3.1 document of the routes that are served, and of those that go past the framework. */
export function openApiDocument(routes: readonly Route[]): JsonObject {
  const all: readonly DocumentedRoute[] = [...routes, ...otherRoutes];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Service Manager',
      version: '1.0.0',
      description: 'Brokers, platforms, services and their instances, from one place.',
    },
    tags: [...new Set(all.map(({ document }) => document.tag))].map(name => ({ name })),
    paths: Object.fromEntries([...Map.groupBy(all, ({ path }) => templateOf(path))].map(pathItem)),
    components: { schemas, parameters, securitySchemes, responses: { Error: errorResponse } },
  };
}

/** `/v1/platforms/:id` as OpenAPI writes it. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const pathItem = ([path, routes]: [string, DocumentedRoute[]]): [string, JsonObject] => [
  path,
  Object.fromEntries(routes.map(route => [route.method.toLowerCase(), operationOf(route)])),
];

function operationOf(route: DocumentedRoute): JsonObject {
  const { document, who, method, path } = route;
  const { tag, summary, body } = document;
  return {
    operationId: `${method.toLowerCase()}${path.replace(/[^A-Za-z]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`,
    tags: [tag],
    summary,
    parameters: [...pathParameters(path), ...(document.parameters ?? []).map(name => reference('parameters', name))],
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonOf(body) } }),
    responses: { ...responsesOf(document), default: reference('responses', 'Error') },
    security: who === 'anybody' ? [] : [{ basic: [] }, { bearer: [] }],
  };
}

const pathParameters = (path: string): JsonObject[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function responsesOf({ responses }: RouteDocument): JsonObject {
  const entries = Object.entries(responses).map(([status, schema]) => [status, responseOf(Number(status), schema)]);
  return Object.fromEntries(entries) as JsonObject;
}

function responseOf(status: number, schema: string): JsonObject {
  const description = descriptions[status] ?? 'The answer';
  if (status === 202) return { description, headers: { Location: locationHeader }, content: jsonOf('object') };
  return schema === '' ? { description } : { description, content: jsonOf(schema) };
}

const descriptions: Readonly<Record<number, string>> = {
  101: 'The connection is a WebSocket now',
  201: 'It was created',
  202: 'It is being worked on; the operation shows how it ends',
  304: 'It is as the caller knows it',
};

const locationHeader = { description: 'The address of the operation', schema: { type: 'string' } };

const reference = (kind: string, name: string): JsonObject => ({ $ref: `#/components/${kind}/${name}` });

const jsonOf = (schema: string): JsonObject => ({ 'application/json': { schema: reference('schemas', schema) } });

const errorResponse = { description: 'Why it cannot be done', content: jsonOf('error') };

const securitySchemes = {
  basic: { type: 'http', scheme: 'basic', description: 'Of a platform, or a user' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token of the landscape or of its identity provider' },
};
