import type { RouteDocument } from '@chandlery/http';
import { smError } from '../../../errors.ts';
import type { SmRequest, SmResponse } from '../resource-handler.ts';
import type { Call, HttpResponse, Method, Route } from '../transport/route.ts';
import type { ErasedHandler } from './any-handler.ts';
import { deleteResource, deleteResources } from './delete-routes.ts';
import { listResources, readOperationOf, readParameters, readResource } from './read-routes.ts';
import type { RestDeps } from './rest-needs.ts';
import { createResource, patchResource } from './write-routes.ts';

const filters = ['fieldQuery', 'labelQuery', 'tenant'];

/** All routes of a kind of resource. */
export function resourceRoutes(handler: ErasedHandler, deps: RestDeps): Route[] {
  const { path } = handler;
  const add = (method: Method, suffix: string, respond: Respond, document: Omit<RouteDocument, 'tag'>): Route => {
    const isForPlatforms = method === 'GET' && (suffix === '' || suffix === '/:id') && handler.table !== 'operations';
    return {
      method,
      path: `${path}${suffix}`,
      who: isForPlatforms ? 'people-and-platforms' : 'people',
      respond: (call: Call) => respond(call),
      document: { tag: path.split('/').at(-1) ?? '', ...document },
    };
  };
  return [
    ...readRoutes(handler, deps, add),
    ...createRoutes(handler, deps, add),
    ...changeRoutes(handler, deps, add),
    ...deleteRoutes(handler, deps, add),
  ];
}

/** The answer of those who need not wait. */
const laterIf = (isPossible: boolean): Record<number, string> => (isPossible ? { 202: '' } : {});

type Respond = (call: Call) => Promise<HttpResponse>;
type Add = (method: Method, suffix: string, respond: Respond, document: Omit<RouteDocument, 'tag'>) => Route;

function readRoutes(handler: ErasedHandler, deps: RestDeps, add: Add): Route[] {
  const { noun, table } = handler;
  const routes = [
    add('GET', '', call => listResources(handler, call, deps), {
      summary: `Lists each ${noun} that the caller may see`,
      parameters: [...filters, 'max_items', 'token', 'attach_last_operations', ...(handler.listParameters ?? [])],
      responses: { 200: `${table}-page` },
    }),
    add('GET', '/:id', call => readResource(handler, call, deps), {
      summary: `Reads one ${noun}`,
      parameters: ['If-None-Match'],
      responses: { 200: table, 304: '' },
    }),
  ];
  if (table === 'operations') return routes;
  const operations = add('GET', '/:id/operations/:operationId', call => readOperationOf(handler, call, deps), {
    summary: `Reads an operation on one ${noun}`,
    responses: { 200: 'operations' },
  });
  if (handler.parameters === undefined) return [...routes, operations];
  const parameters = add('GET', '/:id/parameters', call => readParameters(handler, call, deps), {
    summary: `Reads the parameters of one ${noun} from its broker`,
    responses: { 200: 'object' },
  });
  return [...routes, operations, parameters];
}

function createRoutes(handler: ErasedHandler, deps: RestDeps, add: Add): Route[] {
  const { noun, table, actions = {} } = handler;
  const parameters = ['async', 'tenant', 'Idempotency-Key'];
  const create: Respond = call =>
    createResource(handler, call, { ...deps, create: request => creationOf(handler, request) });
  const collection = add('POST', '', create, {
    summary: `Creates a ${noun}`,
    parameters,
    body: `${table}-create`,
    responses: { 201: table, ...laterIf(handler.isAsync) },
  });
  const others = Object.entries(actions).map(([name, action]) =>
    add('POST', `/${name}`, call => createResource(handler, call, { ...deps, create: action }), {
      summary: `Does "${name}" with a ${noun}`,
      parameters,
      body: 'object',
      responses: { 201: table, 202: '' },
    }),
  );
  return handler.create === undefined ? others : [collection, ...others];
}

async function creationOf(handler: ErasedHandler, request: SmRequest): Promise<SmResponse> {
  if (handler.create === undefined) throw smError('MethodNotAllowed', `a ${handler.noun} cannot be created`);
  return handler.create(request);
}

function changeRoutes(handler: ErasedHandler, deps: RestDeps, add: Add): Route[] {
  const { noun, table } = handler;
  if (handler.patch === undefined) return [];
  const regenerate = table === 'platforms' ? ['regenerateCredentials'] : [];
  return [
    add('PATCH', '/:id', call => patchResource(handler, call, deps), {
      summary: `Changes one ${noun}`,
      parameters: ['async', 'If-Match', ...regenerate],
      body: `${table}-patch`,
      responses: { 200: table, ...laterIf(handler.isAsync) },
    }),
  ];
}

function deleteRoutes(handler: ErasedHandler, deps: RestDeps, add: Add): Route[] {
  const { noun, hasCascade, isAsync } = handler;
  if (handler.remove === undefined) return [];
  const one = add('DELETE', '/:id', call => deleteResource(handler, call, deps), {
    summary: `Deletes one ${noun}`,
    parameters: ['async', 'If-Match', ...(hasCascade ? ['cascade', 'force'] : [])],
    responses: { 200: 'object', ...laterIf(isAsync || hasCascade) },
  });
  if (!handler.hasBulkDelete) return [one];
  const many = add('DELETE', '', call => deleteResources(handler, call, deps), {
    summary: `Deletes each ${noun} that matches a filter`,
    parameters: [...filters, 'dry_run'],
    responses: { 200: 'object' },
  });
  return [one, many];
}
