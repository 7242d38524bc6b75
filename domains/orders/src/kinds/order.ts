import { defineKind, type ObjectOf, userInfo } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, count, declared, free, namedByUuid, rowStatus, text, texts, uniqueId } from './common.ts';

/** Statuses of an order; `model/order-status` says which may follow which. */
export const orderStatuses = [
  'unknown',
  'pending',
  'scheduled',
  'executing',
  'succeeded',
  'failed',
  'error',
  'cancelling',
  'cancelled',
] as const;

export type OrderStatus = (typeof orderStatuses)[number];

/** A name and a value, which is always text. */
export const parameterValue = Type.Object({
  name: Type.String({ minLength: 1, description: 'The parameter.' }),
  value: Type.String({ description: 'As text, whatever the type.' }),
});

/** One order of a service. The name of the object is the UUID of its URN. */
export const orders = defineKind({
  ...declared,
  kind: 'Order',
  shortNames: ['ord'],
  description: 'An order of a service: with which parameters, by whom, and how far it is.',
  spec: Type.Object({
    service: Type.String({ minLength: 1, description: 'The URN of the service.' }),
    parameters: Type.Optional(Type.Array(parameterValue, { description: 'As the orderer gave them.' })),
    name: text('For people.'),
    tags: texts('For searching.'),
    policy: text('The URN of the policy.'),
    execution: Type.Optional(
      Type.Object(
        {
          type: Type.Enum(['one-shot', 'standing'], { description: 'Whether it ends by itself.' }),
          selector: free('Which records a standing order processes: {queue: <URN>}.'),
        },
        { description: 'Default: one-shot.' },
      ),
    ),
    idempotencyKey: text('Unique in the tenant: a repeated request finds this order.'),
    requestDigest: text(
      'The digest of the request, to distinguish a repeated request from another one with the same key.',
    ),
    resubmitOf: text('The URN of the order that this one repeats.'),
    job: text('The URN of the job that this order executes.'),
    instance: text('The id of the service instance as which it was ordered.'),
    userInfo,
  }),
  status: Type.Object({
    ...rowStatus,
    status: Type.Optional(Type.Enum(orderStatuses)),
    errorMessage: text('Why it failed, or what the platform could not do.'),
    orderer: text('The user name of who ordered; references in parameters are authorised for this identity.'),
    orderedAt: text('When it was accepted.'),
    startedAt: text('When its first node ran.'),
    finishedAt: text('When it ended; set once.'),
    schema: text('The controller schema that it was dispatched by, normalised.'),
    arguments: Type.Optional(
      Type.Array(parameterValue, { description: 'Verified and replaced parameters, with defaults and constants.' }),
    ),
    warnings: texts('What the platform does not enforce or has changed, in sentences.'),
    workflow: Type.Optional(
      Type.Object(
        {
          namespace: Type.String(),
          name: Type.String(),
          uid: text('Of the object.'),
          cluster: text('The cluster whose Argo executes it. Default: the platform cluster.'),
        },
        { description: 'The Workflow that executes the order.' },
      ),
    ),
    shutdown: Type.Optional(Type.Enum(['stop', 'terminate'], { description: 'The cancel that was asked for.' })),
    suspended: Type.Optional(Type.Boolean({ description: 'Whether it is suspended.' })),
    retries: count('How often it was started again.'),
    runs: count('How many runs a standing order has had.'),
    result: free('{artifact, contentType, content}: what the service returned.'),
    logDigest: text('The blob that holds the log of an order that has ended.'),
    workflowDigest: text('The blob that holds the Workflow of an order that has ended on the Argo of a cluster.'),
    usage: free('What the containers use, as the engine reported last.'),
    engineState: free('What the model that executes the order remembers.'),
  }),
  columns: [
    column('Service', '.spec.service', 1),
    column('Display-Name', '.spec.name'),
    column('Status', '.status.status'),
    column('Started', '.status.startedAt'),
    column('Finished', '.status.finishedAt'),
    column('Error', '.status.errorMessage', 1),
    ageColumn,
  ],
  rules: [namedByUuid],
  uniqueKeys: [
    uniqueId,
    {
      name: 'idempotency-key',
      within: 'cluster',
      values: ({ metadata, spec }) =>
        spec.idempotencyKey === undefined ? [] : [JSON.stringify([metadata.namespace, spec.idempotencyKey])],
    },
  ],
});

export type Order = ObjectOf<typeof orders>;
