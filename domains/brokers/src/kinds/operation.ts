import { defineKind, type KubeObject, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, declared, flag, free, labelsSchema, rowStatus, text } from './common.ts';
import { specOf } from './unique-keys.ts';

/** One creation, change or deletion of one resource. */
export const operations = defineKind({
  ...declared,
  kind: 'Operation',
  shortNames: ['op'],
  categories: ['brokers'],
  description: 'One creation, change or deletion of one resource of the service manager.',
  spec: Type.Object({
    type: Type.Enum(['create', 'update', 'delete']),
    resourceType: Type.String({ description: 'As a path: /v1/service_instances.' }),
    resourceId: Type.String(),
    platformId: Type.String({ description: 'Who asked.' }),
    correlationId: text('Names the request in logs, here and at the broker.'),
    parentId: text('The operation of a cascade that waits for this one.'),
    cascadeRootId: text('The operation that began the cascade.'),
    isForced: flag('Whether the resource goes whatever the broker says.'),
    discardsFailedCreate: flag('Whether a resource whose creation fails is forgotten: its caller waits and will know.'),
    isOfUnknown: flag('Whether there is no row of the resource: of its deletion only this is recorded.'),
    change: free('What an update changes, in the words of the spec.'),
    idempotencyKey: text('Tenant, caller and the key that they chose: the same request again is the same operation.'),
    requestHash: text('By what a repeated request is known.'),
    labels: labelsSchema,
  }),
  status: Type.Object({
    ...rowStatus,
    state: Type.Optional(Type.Enum(['pending', 'in progress', 'succeeded', 'failed'])),
    description: text('For people.'),
    errors: free('What went wrong.'),
    httpStatus: Type.Optional(Type.Integer({ description: 'The HTTP status for a caller that waits.' })),
    reschedule: flag('Whether the broker is polled for it.'),
    rescheduleAt: text('When polling began.'),
    deletionScheduledAt: text('Since when the remains of a failed creation are being removed.'),
    externalId: text("The broker's name for it."),
    attempts: Type.Optional(Type.Integer({ description: 'Calls that failed and will be repeated.' })),
    nextAttemptAt: text('Not before then.'),
    user: free('On whose behalf; wiped when it ends.'),
    retryable: flag('Whether the same may succeed later.'),
    transitiveResources: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String(),
          type: Type.String({ description: 'As a path: /v1/service_plans.' }),
          operationType: Type.Enum(['create', 'update', 'delete']),
        }),
        { description: 'What else it created, changed or deleted.' },
      ),
    ),
    leftovers: free('What a forced deletion may have left at the broker.'),
  }),
  columns: [
    column('Type', '.spec.type'),
    column('Resource', '.spec.resourceType'),
    column('Id', '.spec.resourceId'),
    column('State', '.status.state'),
    ageColumn,
  ],
  uniqueKeys: [{ name: 'idempotency_key', within: 'cluster', values: idempotencyKeys }],
});

export type Operation = ObjectOf<typeof operations>;

function idempotencyKeys(object: KubeObject): string[] {
  const { idempotencyKey } = specOf(object);
  return typeof idempotencyKey === 'string' ? [idempotencyKey] : [];
}
