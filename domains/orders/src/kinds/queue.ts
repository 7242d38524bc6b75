import { defineKind, type ObjectOf } from '@chandlery/api';
import { Type } from 'typebox';
import { ageColumn, column, count, declared, namedByUuid, rowStatus, text, uniqueId } from './common.ts';

/** A queue of messages. The name of the object is the UUID of its URN. */
export const queues = defineKind({
  ...declared,
  kind: 'Queue',
  shortNames: ['oq'],
  description: 'Messages in the order in which they were sent.',
  spec: Type.Object({
    name: Type.String({ minLength: 1, description: 'Unique in the tenant.' }),
    description: text('What it is for.'),
    policy: text('The URN of the policy.'),
  }),
  status: Type.Object({
    ...rowStatus,
    lastSequence: count('The number of the last message that was sent; messages count from 1.'),
    firstTime: text('When the first message was sent.'),
    lastTime: text('When the last message was sent.'),
  }),
  columns: [
    column('Display-Name', '.spec.name'),
    { name: 'Sent', type: 'integer', jsonPath: '.status.lastSequence' },
    ageColumn,
  ],
  rules: [namedByUuid],
  uniqueKeys: [
    uniqueId,
    {
      name: 'name',
      within: 'cluster',
      values: ({ metadata, spec }) => [JSON.stringify([metadata.namespace, spec.name])],
    },
  ],
});

export type Queue = ObjectOf<typeof queues>;

/** States of a message: a borrowed one returns to `pending` unless its receipt is answered in time. */
export const messageStates = ['pending', 'borrowed'] as const;

/** One message. The name of the object is `<queue uuid>.<sequence>`; it is removed when it was processed. */
export const queueMessages = defineKind({
  ...declared,
  kind: 'QueueMessage',
  description: 'A message of a queue that was not processed yet.',
  spec: Type.Object({
    queue: Type.String({ minLength: 1, description: 'The UUID of the queue.' }),
    sequence: Type.Integer({ format: 'int64', description: 'Counts the messages of the queue from 1.' }),
    content: Type.String({ description: 'As it was sent.' }),
    contentType: text('Default: application/json.'),
    schema: text('The schema of the content.'),
    sender: text('The user name of who sent it.'),
  }),
  status: Type.Object({
    ...rowStatus,
    state: Type.Optional(Type.Enum(messageStates)),
    receipt: text('Answers the message while it is borrowed.'),
    borrower: text('The URN of the order that has borrowed it.'),
    borrowedUntil: text('When it returns to the queue.'),
    attempts: count('How often it was borrowed.'),
    availableAt: text('Not given out before.'),
  }),
  columns: [
    column('Queue', '.spec.queue'),
    { name: 'Sequence', type: 'integer', jsonPath: '.spec.sequence' },
    column('State', '.status.state'),
    ageColumn,
  ],
  uniqueKeys: [uniqueId],
});

export type QueueMessage = ObjectOf<typeof queueMessages>;
