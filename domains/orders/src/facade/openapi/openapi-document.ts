import type { JsonObject } from '@chandlery/api';
import type { OrdersRoute } from '../routes/route.ts';
import { parameters } from './parameters.ts';
import { schemas } from './schemas.ts';

/** What route files outside this folder add. */
export interface DocumentExtras {
  readonly schemas?: Readonly<Record<string, JsonObject>>;
  readonly parameters?: Readonly<Record<string, JsonObject>>;
}

/** Returns the OpenAPI 3.0 document of routes. */
export function openApiDocument(routes: readonly OrdersRoute[], extras: DocumentExtras = {}): JsonObject {
  return {
    openapi: '3.0.3',
    info: {
      title: 'Services and orders',
      version: '1.0.0',
      description:
        'Services of any execution model, orders of them, and the artifacts, queues and aspects that they use.',
    },
    paths: pathsOf(routes),
    components: {
      schemas: { ...schemas, ...extras.schemas },
      parameters: { ...parameters, ...extras.parameters },
      responses: { Error: { description: 'Why it cannot be done', content: jsonOf('Error') } },
      securitySchemes: { Bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function pathsOf(routes: readonly OrdersRoute[]): JsonObject {
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(([path, ofPath]) => {
    const operations = ofPath.map(route => [route.method.toLowerCase(), operationOf(route)] as const);
    return [path, Object.fromEntries(operations)] as const;
  });
  return Object.fromEntries(paths);
}

function operationOf({ method, path, access, document }: OrdersRoute): JsonObject {
  const words = path.split(/[^A-Za-z0-9]+/).filter(word => word !== '' && word !== '1');
  const { tag, summary, body } = document;
  const names = document.parameters ?? [];
  return {
    operationId: method.toLowerCase() + words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(''),
    tags: [tag],
    summary,
    parameters: [...pathParameters(path), ...names.map(name => ({ $ref: `#/components/parameters/${name}` }))],
    ...(body === undefined ? {} : { requestBody: { required: body !== 'bytes', content: contentOf(body) } }),
    responses: { ...responsesOf(document.responses), default: { $ref: '#/components/responses/Error' } },
    security: access === 'open' ? [] : [{ Bearer: [] }],
  };
}

const pathParameters = (path: string): JsonObject[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function responsesOf(responses: Readonly<Record<number, string>>): JsonObject {
  const entries = Object.entries(responses).map(([status, schema]) => {
    const response =
      schema === '' ? { description: 'Without a body' } : { description: 'The result', content: contentOf(schema) };
    return [status, response] as const;
  });
  return Object.fromEntries(entries);
}

const contentOf = (schema: string): JsonObject =>
  schema === 'bytes' ? { '*/*': { schema: { type: 'string', format: 'binary' } } } : jsonOf(schema);

const jsonOf = (schema: string): JsonObject => ({
  'application/json': { schema: { $ref: `#/components/schemas/${schema}` } },
});
