import { ordersKinds } from '../../kinds/index.ts';
import type { artifactHandlers } from '../handlers/artifacts/artifact-handlers.ts';
import type { aspectHandlers } from '../handlers/aspects/aspect-handlers.ts';
import type { collectionHandlers } from '../handlers/collections/collection-handlers.ts';
import type { queueHandlers } from '../handlers/queues/queue-handlers.ts';
import type { RouteAccess } from '../handlers/route-access.ts';
import type { secretHandlers } from '../handlers/secrets/secret-handlers.ts';
import type { serviceHandlers } from '../handlers/services/service-handlers.ts';
import type { OrdersRoute } from './route.ts';

/** What the routes of records lead to. */
export interface ResourceHandlers {
  readonly services1: ReturnType<typeof serviceHandlers>;
  readonly services2: ReturnType<typeof serviceHandlers>;
  readonly artifacts: ReturnType<typeof artifactHandlers>;
  readonly collections: ReturnType<typeof collectionHandlers>;
  readonly queues: ReturnType<typeof queueHandlers>;
  readonly aspects: ReturnType<typeof aspectHandlers>;
  readonly secrets: ReturnType<typeof secretHandlers>;
}

/** Returns what a client needs for a verb on a kind. */
const need = (table: keyof typeof ordersKinds, verb: RouteAccess['verb']): RouteAccess => ({
  resource: ordersKinds[table].plural,
  verb,
});

const listed = ['limit', 'page', 'filter', 'order-by', 'order-desc', 'at-time'];

/** The routes of the records that orders work on. Orders and jobs have route files of their own. */
export const resourceRoutes = (handlers: ResourceHandlers): readonly OrdersRoute[] => [
  ...serviceRoutes('/1/services2', handlers.services2, { schema: 'Service2', listed: [...listed, 'search'] }),
  ...serviceRoutes('/1/services', handlers.services1, { schema: 'Service1', listed }),
  ...artifactRoutes(handlers.artifacts),
  ...collectionRoutes(handlers.collections),
  ...queueRoutes(handlers.queues),
  ...aspectRoutes(handlers.aspects),
  ...secretRoutes(handlers.secrets),
];

function serviceRoutes(
  path: '/1/services' | '/1/services2',
  services: ReturnType<typeof serviceHandlers>,
  { schema, listed: parameters }: { readonly schema: 'Service1' | 'Service2'; readonly listed: readonly string[] },
): readonly OrdersRoute[] {
  const tag = 'services';
  const body = `${schema}Request`;
  return [
    {
      method: 'GET',
      path,
      access: need('services', 'list'),
      document: { tag, summary: 'Lists services', parameters, responses: { 200: `${schema}List` } },
      handle: services.list,
    },
    {
      method: 'POST',
      path,
      access: need('services', 'create'),
      document: { tag, summary: 'Creates a service', body, responses: { 201: schema } },
      handle: services.create,
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      access: need('services', 'get'),
      document: { tag, summary: 'Returns a service', parameters: ['at-time'], responses: { 200: schema } },
      handle: services.get,
    },
    {
      method: 'PUT',
      path: `${path}/{id}`,
      access: need('services', 'update'),
      document: {
        tag,
        summary: 'Replaces a service, or creates it',
        parameters: ['force-create'],
        body,
        responses: { 200: schema },
      },
      handle: services.replace,
    },
    {
      method: 'DELETE',
      path: `${path}/{id}`,
      access: need('services', 'delete'),
      document: { tag, summary: 'Removes a service', responses: { 204: '' } },
      handle: services.remove,
    },
  ];
}

function artifactRoutes(artifacts: ReturnType<typeof artifactHandlers>): readonly OrdersRoute[] {
  const tag = 'artifacts';
  const path = '/1/artifacts';
  const one = `${path}/{id}` as const;
  const named = ['X-Name', 'X-Collection', 'X-Policy', 'X-Content-Type', 'X-Content-Length'];
  const tus = ['Tus-Resumable', 'Upload-Length'];
  const upload = (target: typeof one | `${typeof one}/blob`): readonly OrdersRoute[] => [
    {
      method: 'OPTIONS',
      path: target,
      access: 'open',
      document: { tag, summary: 'Returns the supported parts of the TUS protocol', responses: { 204: '' } },
      handle: artifacts.options,
    },
    {
      method: 'HEAD',
      path: target,
      access: need('artifacts', 'get'),
      document: {
        tag,
        summary: 'Returns the offset of an upload (TUS)',
        parameters: ['Tus-Resumable'],
        responses: { 200: '' },
      },
      handle: artifacts.head,
    },
    {
      method: 'PATCH',
      path: target,
      access: need('artifacts', 'update'),
      document: {
        tag,
        summary: 'Adds a piece to an upload (TUS)',
        parameters: [...tus, 'Upload-Offset'],
        body: 'bytes',
        responses: { 204: '' },
      },
      handle: artifacts.patch,
    },
  ];
  return [
    {
      method: 'GET',
      path,
      access: need('artifacts', 'list'),
      document: { tag, summary: 'Lists artifacts', parameters: listed, responses: { 200: 'ArtifactList' } },
      handle: artifacts.list,
    },
    {
      method: 'OPTIONS',
      path,
      access: 'open',
      document: { tag, summary: 'Returns the supported parts of the TUS protocol', responses: { 204: '' } },
      handle: artifacts.options,
    },
    {
      method: 'POST',
      path,
      access: need('artifacts', 'create'),
      document: {
        tag,
        summary: 'Creates an artifact with content, or a place for an upload',
        parameters: [...named, ...tus],
        body: 'bytes',
        responses: { 201: 'Artifact' },
      },
      handle: artifacts.create,
    },
    {
      method: 'GET',
      path: one,
      access: need('artifacts', 'get'),
      document: { tag, summary: 'Returns an artifact', parameters: ['at-time'], responses: { 200: 'Artifact' } },
      handle: artifacts.get,
    },
    {
      method: 'DELETE',
      path: one,
      access: need('artifacts', 'delete'),
      document: { tag, summary: 'Removes an artifact', responses: { 204: '' } },
      handle: artifacts.remove,
    },
    {
      method: 'GET',
      path: `${one}/blob`,
      access: need('artifacts', 'get'),
      document: {
        tag,
        summary: 'Returns the content',
        parameters: ['Range'],
        responses: { 200: 'bytes', 206: 'bytes' },
      },
      handle: artifacts.getBlob,
    },
    {
      method: 'PUT',
      path: `${one}/blob`,
      access: need('artifacts', 'update'),
      document: { tag, summary: 'Puts all content, at most 16 MB', body: 'bytes', responses: { 200: 'Artifact' } },
      handle: artifacts.putBlob,
    },
    ...upload(one),
    ...upload(`${one}/blob`),
  ];
}

function collectionRoutes(collections: ReturnType<typeof collectionHandlers>): readonly OrdersRoute[] {
  const tag = 'collections';
  const path = '/1/collections';
  return [
    {
      method: 'GET',
      path,
      access: need('collections', 'list'),
      document: { tag, summary: 'Lists collections', parameters: listed, responses: { 200: 'CollectionList' } },
      handle: collections.list,
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      access: need('collections', 'get'),
      document: { tag, summary: 'Returns a collection', parameters: ['at-time'], responses: { 200: 'Collection' } },
      handle: collections.get,
    },
    {
      method: 'GET',
      path: `${path}/{id}/artifacts`,
      access: need('collections', 'get'),
      document: {
        tag,
        summary: 'Lists the artifacts of a collection',
        parameters: listed,
        responses: { 200: 'ArtifactList' },
      },
      handle: collections.artifacts,
    },
  ];
}

function queueRoutes(queues: ReturnType<typeof queueHandlers>): readonly OrdersRoute[] {
  const tag = 'queues';
  const path = '/1/queues';
  return [
    {
      method: 'GET',
      path,
      access: need('queues', 'list'),
      document: { tag, summary: 'Lists queues', parameters: listed, responses: { 200: 'QueueList' } },
      handle: queues.list,
    },
    {
      method: 'POST',
      path,
      access: need('queues', 'create'),
      document: { tag, summary: 'Creates a queue', body: 'QueueRequest', responses: { 201: 'Queue' } },
      handle: queues.create,
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      access: need('queues', 'get'),
      document: { tag, summary: 'Returns a queue', parameters: ['at-time'], responses: { 200: 'Queue' } },
      handle: queues.get,
    },
    {
      method: 'DELETE',
      path: `${path}/{id}`,
      access: need('queues', 'delete'),
      document: { tag, summary: 'Removes a queue and its messages', responses: { 204: '' } },
      handle: queues.remove,
    },
    {
      method: 'POST',
      path: `${path}/{id}/messages`,
      access: need('queueMessages', 'create'),
      document: {
        tag,
        summary: 'Sends a message',
        parameters: ['schema'],
        body: 'bytes',
        responses: { 201: 'Reference' },
      },
      handle: queues.send,
    },
    {
      method: 'GET',
      path: `${path}/{id}/messages`,
      access: need('queueMessages', 'delete'),
      document: {
        tag,
        summary: 'Takes messages out of the queue, the oldest first',
        parameters: ['limit'],
        responses: { 200: 'MessageList' },
      },
      handle: queues.receive,
    },
  ];
}

function aspectRoutes(aspects: ReturnType<typeof aspectHandlers>): readonly OrdersRoute[] {
  const tag = 'aspects';
  const path = '/1/aspects';
  const named = ['entity', 'schema', 'policy'];
  return [
    {
      method: 'GET',
      path,
      access: need('aspects', 'list'),
      document: {
        tag,
        summary: 'Lists aspects that hold, or held',
        parameters: [...listed, 'entity', 'schema', 'include-content'],
        responses: { 200: 'AspectList' },
      },
      handle: aspects.list,
    },
    {
      method: 'POST',
      path,
      access: need('aspects', 'create'),
      document: { tag, summary: 'Adds an aspect', parameters: named, body: 'Object', responses: { 201: 'Aspect' } },
      handle: aspects.add,
    },
    {
      method: 'PUT',
      path,
      access: need('aspects', 'update'),
      document: {
        tag,
        summary: 'Adds an aspect in place of the one that holds',
        parameters: named,
        body: 'Object',
        responses: { 200: 'Aspect' },
      },
      handle: aspects.replace,
    },
    {
      method: 'GET',
      path: `${path}/{id}`,
      access: need('aspects', 'get'),
      document: { tag, summary: 'Returns an aspect', parameters: ['at-time'], responses: { 200: 'Aspect' } },
      handle: aspects.get,
    },
    {
      method: 'DELETE',
      path: `${path}/{id}`,
      access: need('aspects', 'delete'),
      document: { tag, summary: 'Retracts an aspect', responses: { 204: '' } },
      handle: aspects.retract,
    },
  ];
}

function secretRoutes(secrets: ReturnType<typeof secretHandlers>): readonly OrdersRoute[] {
  const tag = 'secrets';
  const path = '/1/secrets';
  const named = ['secret-name', 'secret-type'];
  return [
    {
      method: 'GET',
      path: `${path}/list`,
      access: need('secrets', 'list'),
      document: {
        tag,
        summary: 'Lists secrets, without their values',
        parameters: ['limit', 'page', 'filter'],
        responses: { 200: 'SecretList' },
      },
      handle: secrets.list,
    },
    {
      method: 'GET',
      path,
      access: need('secrets', 'get'),
      document: {
        tag,
        summary: 'Returns a secret without its value, which services read through the data proxy',
        parameters: named,
        responses: { 200: 'Secret' },
      },
      handle: secrets.get,
    },
    {
      method: 'POST',
      path,
      access: need('secrets', 'create'),
      document: { tag, summary: 'Sets a secret', body: 'SecretRequest', responses: { 201: 'Secret' } },
      handle: secrets.set,
    },
    {
      method: 'DELETE',
      path,
      access: need('secrets', 'delete'),
      document: { tag, summary: 'Removes a secret', parameters: named, responses: { 204: '' } },
      handle: secrets.remove,
    },
  ];
}
