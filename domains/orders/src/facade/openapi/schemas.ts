import type { JsonObject } from '@chandlery/api';

const text: JsonObject = { type: 'string' };
const urn: JsonObject = { type: 'string', format: 'uri' };
const time: JsonObject = { type: 'string', format: 'date-time' };
const integer: JsonObject = { type: 'integer' };
const flag: JsonObject = { type: 'boolean' };
const texts: JsonObject = { type: 'array', items: text };
const free: JsonObject = { type: 'object', additionalProperties: true };
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  ...(required.length === 0 ? {} : { required: [...required] }),
  properties,
});

const pageOf = (item: JsonObject): JsonObject =>
  object({ items: listOf(item), links: ref('Links'), 'at-time': time }, ['items', 'links', 'at-time']);

const serviceFields: JsonObject = {
  name: text,
  description: text,
  tags: texts,
  parameters: listOf(ref('Parameter')),
  policy: urn,
  banner: text,
  references: listOf(free),
};
const service2Fields: JsonObject = {
  ...serviceFields,
  'request-schema': free,
  contact: free,
  license: free,
  'controller-schema': text,
  controller: free,
};
const serviceRecord: JsonObject = {
  id: urn,
  account: urn,
  status: { type: 'string', enum: ['active', 'inactive', 'error'] },
  links: ref('Links'),
};

const artifactItem: JsonObject = {
  id: urn,
  href: text,
  name: text,
  status: { type: 'string', enum: ['pending', 'partial', 'ready', 'error', 'unknown'] },
  size: integer,
  'mime-type': text,
  'created-at': time,
  'data-href': text,
};
const queueItem: JsonObject = { id: urn, href: text, name: text, description: text, account: urn };
const aspectItem: JsonObject = {
  id: urn,
  href: text,
  entity: urn,
  schema: urn,
  'content-type': text,
  content: free,
  'valid-from': time,
  'valid-to': time,
};
const collectionItem: JsonObject = {
  id: urn,
  href: text,
  name: text,
  description: text,
  policy: urn,
  account: urn,
  'created-at': time,
  'artifact-count': integer,
};
const secretItem: JsonObject = { 'secret-name': text, 'secret-type': text, 'expiry-time': integer };

/** The schemas of requests and responses. Other route files add theirs by `extraSchemas` of the document. */
export const schemas: Readonly<Record<string, JsonObject>> = {
  Object: free,
  Error: object({ message: text, code: text, id: text, name: text, value: {} }, ['message', 'code']),
  Reference: object({ id: urn }, ['id']),
  Links: listOf(object({ rel: text, type: text, href: text }, ['rel', 'type', 'href'])),
  Parameter: object(
    {
      name: text,
      type: { type: 'string', enum: ['string', 'int', 'float', 'bool', 'option', 'artifact', 'collection', 'queue'] },
      description: text,
      label: text,
      unit: text,
      default: text,
      optional: flag,
      constant: flag,
      unary: flag,
      options: listOf(object({ value: text, name: text, description: text }, ['value'])),
    },
    ['name', 'type'],
  ),
  Service2Request: object({ id: text, ...service2Fields }, ['description', 'controller']),
  Service2: object({ $schema: text, ...serviceRecord, ...service2Fields, 'valid-from': time, 'valid-to': time }, [
    'id',
    'account',
    'status',
    'parameters',
    'policy',
    'links',
  ]),
  Service2List: pageOf(
    object(
      {
        id: urn,
        name: text,
        description: text,
        tags: texts,
        'controller-schema': text,
        href: text,
        'valid-from': time,
        'valid-to': time,
        score: { type: 'number' },
      },
      ['id', 'href'],
    ),
  ),
  Service1Request: object({ id: text, ...serviceFields, workflow: free }, ['description', 'workflow']),
  Service1: object({ ...serviceRecord, ...serviceFields, workflow: free }, [
    'id',
    'account',
    'status',
    'parameters',
    'links',
  ]),
  Service1List: pageOf(
    object(
      {
        id: urn,
        name: text,
        description: text,
        banner: text,
        policy: urn,
        'published-at': time,
        account: urn,
        href: text,
      },
      ['id', 'href'],
    ),
  ),
  Artifact: object(
    {
      ...artifactItem,
      account: urn,
      policy: urn,
      'last-modified-at': time,
      etag: text,
      collections: listOf(urn),
      order: urn,
      'upload-length': integer,
      'upload-expires-at': time,
      'error-message': text,
      links: ref('Links'),
    },
    ['id', 'status', 'links'],
  ),
  ArtifactList: pageOf(object(artifactItem, ['id', 'href', 'status', 'created-at'])),
  Collection: object({ ...collectionItem, links: ref('Links') }, ['id', 'links']),
  CollectionList: pageOf(object(collectionItem, ['id', 'href'])),
  QueueRequest: object({ name: text, description: text, policy: urn }, ['name']),
  Queue: object(
    {
      ...queueItem,
      policy: urn,
      'created-at': time,
      bytes: integer,
      'consumer-count': integer,
      'total-messages': integer,
      'first-time': time,
      'last-time': time,
      links: ref('Links'),
    },
    ['id', 'name', 'created-at'],
  ),
  QueueList: pageOf(object(queueItem, ['id', 'href', 'account'])),
  MessageList: object(
    {
      messages: listOf(object({ id: text, content: text, schema: text, 'content-type': text }, ['id', 'content'])),
      'at-time': time,
    },
    ['messages', 'at-time'],
  ),
  Aspect: object(
    { ...aspectItem, account: urn, asserter: text, retracter: text, policy: urn, replaces: urn, links: ref('Links') },
    ['id', 'entity', 'schema', 'content', 'content-type', 'asserter', 'account', 'policy', 'valid-from', 'links'],
  ),
  AspectList: object(
    {
      items: listOf(object(aspectItem, ['id', 'entity', 'schema', 'content-type'])),
      links: ref('Links'),
      'at-time': time,
      entity: urn,
      schema: text,
    },
    ['items', 'links', 'at-time'],
  ),
  SecretRequest: object({ ...secretItem, 'secret-value': text }, ['secret-name', 'secret-value']),
  Secret: object(secretItem, ['secret-name']),
  SecretList: pageOf(object(secretItem, ['secret-name', 'expiry-time'])),
};
