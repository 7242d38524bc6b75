import { anything, defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, count, declared, flag, namedByUuid, rowStatus, text, texts, uniqueId } from './common.ts';
import { orderStatuses } from './order.ts';

/** One job of a service of generation 2. The name of the object is the UUID of its URN. */
export const jobs = defineKind({
  ...declared,
  kind: 'Job',
  shortNames: ['ojob'],
  description: 'A request to a service, the order that executes it, and its result.',
  spec: Type.Object({
    service: Type.String({ minLength: 1, description: 'The URN of the service.' }),
    order: text('The URN of the order that executes it.'),
    name: text('For people.'),
    tags: texts('For searching.'),
    policy: text('The URN of the policy.'),
    requestContentType: Type.String({ description: 'The type of the request.' }),
    requestContent: text('The request itself, when it is short text.'),
    requestAspect: text('The URN of the aspect that the request was taken from.'),
  }),
  status: Type.Object({
    ...rowStatus,
    status: Type.Optional(Type.Enum(orderStatuses)),
    errorMessage: text('Why it failed.'),
    requester: text('The user name of who asked.'),
    requestDigest: text('The blob that holds the request, when it is long or binary.'),
    requestSize: count('The bytes of the request.'),
    requestedAt: text('When it was accepted.'),
    startedAt: text('When the service took it.'),
    finishedAt: text('When it ended; set once.'),
    resultContentType: text('The type of the result.'),
    resultContent: text('The result itself, when it is short text.'),
    resultDigest: text('The blob that holds the result, when it is long or binary.'),
    resultSize: count('The bytes of the result.'),
    isRejected: flag('The result describes why the service has rejected the request.'),
    resultArtifact: text('The URN of the artifact that holds the result.'),
    lastEvent: count('The number of the last event.'),
  }),
  columns: [
    column('Service', '.spec.service', 1),
    column('Order', '.spec.order', 1),
    column('Status', '.status.status'),
    column('Finished', '.status.finishedAt'),
    ageColumn,
  ],
  rules: [namedByUuid],
  uniqueKeys: [uniqueId],
});

export type Job = ObjectOf<typeof jobs>;

/** One event of a job. The name of the object is `<job uuid>.<number>`. */
export const jobEvents = defineKind({
  ...declared,
  kind: 'JobEvent',
  description: 'Something that happened to a job, for those who follow it.',
  spec: Type.Object({
    job: Type.String({ minLength: 1, description: 'The UUID of the job.' }),
    sequence: Type.Integer({ format: 'int64', description: 'Counts the events of the job from 1.' }),
    type: Type.String({ description: 'ivcap.job.status or ivcap.job.event.' }),
    schema: text('The schema of the data.'),
    source: text('Who reported it.'),
    timestamp: Type.String({ description: 'When it happened.' }),
    data: anything('What happened.'),
  }),
  status: Type.Object({ ...rowStatus }),
  columns: [column('Job', '.spec.job'), column('Type', '.spec.type'), ageColumn],
  uniqueKeys: [uniqueId],
});

export type JobEvent = ObjectOf<typeof jobEvents>;
