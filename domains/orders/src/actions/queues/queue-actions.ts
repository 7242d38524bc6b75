import { isError } from '@chandlery/api';
import { commitAnew } from '@chandlery/registry';
import { OrdersError, recordNotFound } from '../../errors.ts';
import { withoutUndefined } from '../../model/bodies/body-fields.ts';
import { messageUrn, urnOf } from '../../model/urns.ts';
import {
  createRow,
  type OrdersRegistry,
  type QueueMessageRow,
  type QueueRow,
  removeRow,
  updateRow,
} from '../../registry/orders-registry.ts';
import type { ActionDeps, Actor } from '../action-deps.ts';

/** What is said of a new queue. */
export interface NewQueue {
  readonly name: string;
  readonly description?: string | undefined;
  readonly policy?: string | undefined;
}

/** A message to be sent. */
export interface NewMessage {
  readonly content: string;
  readonly contentType?: string | undefined;
  readonly schema?: string | undefined;
}

type Deps = Pick<ActionDeps, 'registry' | 'budget' | 'recordLocks' | 'clock'>;

/** Removed with their queue, in commits of this size. */
const removalBatch = 200;

/** Use cases of queues. */
export const queueActions = (deps: Deps) => ({
  /** Creates a queue. Throws `already-exists` when the tenant has one of this name. */
  create: async ({ tenant }: Actor, queue: NewQueue): Promise<QueueRow> => {
    const { registry, budget } = deps;
    budget.checkRecords(tenant);
    const id = registry.newId();
    try {
      await registry.commit([createRow({ table: 'queues', id, tenant, spec: withoutUndefined({ ...queue }) })]);
    } catch (error) {
      throw isError(error, 'UniqueViolation') ? nameTaken(queue.name) : error;
    }
    return queueRow(registry, id);
  },

  /** Sends a message; returns its URN. */
  send: async ({ id, tenant }: QueueRow, { username }: Actor, message: NewMessage): Promise<string> => {
    deps.budget.checkRecords(tenant);
    deps.budget.checkMessages(tenant, Buffer.byteLength(message.content));
    return deps.recordLocks.run(urnOf('queue', id), () => send(deps, id, { ...message, sender: username }));
  },

  /** Takes the oldest messages out of a queue: they are given out once. */
  receive: ({ id }: QueueRow, limit: number): Promise<readonly QueueMessageRow[]> =>
    deps.recordLocks.run(urnOf('queue', id), () => receive(deps, id, limit)),

  /** Removes a queue and its messages. */
  remove: ({ id }: QueueRow): Promise<void> => deps.recordLocks.run(urnOf('queue', id), () => remove(deps, id)),
});

async function send(
  { registry }: Deps,
  id: string,
  message: NewMessage & { readonly sender: string },
): Promise<string> {
  let urn = '';
  await commitAnew(registry, () => {
    const row = queueRow(registry, id);
    const sequence = (row.status.lastSequence ?? 0) + 1;
    urn = messageUrn(id, sequence);
    const now = registry.now();
    const status = { ...row.status, lastSequence: sequence, firstTime: row.status.firstTime ?? now, lastTime: now };
    const spec = { ...withoutUndefined({ ...message }), queue: id, sequence };
    const created = { table: 'queueMessages', id: `${id}.${sequence}`, tenant: row.tenant, spec } as const;
    return [updateRow({ table: 'queues', row, status }), createRow({ ...created, status: { state: 'pending' } })];
  });
  return urn;
}

async function receive({ registry, clock }: Deps, id: string, limit: number): Promise<readonly QueueMessageRow[]> {
  let taken: readonly QueueMessageRow[] = [];
  await commitAnew(registry, () => {
    taken = availableMessages(registry, id, clock.now()).slice(0, limit);
    return taken.map(row => removeRow('queueMessages', row));
  });
  return taken;
}

/** The messages of a queue that are not borrowed, in the order in which they were sent. */
export function availableMessages(
  { queueMessages }: Pick<OrdersRegistry, 'queueMessages'>,
  queue: string,
  now: Date,
): readonly QueueMessageRow[] {
  const isAvailable = ({ status }: QueueMessageRow): boolean =>
    status.state !== 'borrowed' &&
    (status.availableAt === undefined || Date.parse(status.availableAt) <= now.getTime());
  const rows = [...queueMessages.by('queue', queue)].filter(isAvailable);
  return rows.sort((one, other) => one.spec.sequence - other.spec.sequence);
}

/** Messages are removed first, so that a crash in between leaves no messages without a queue. */
async function remove({ registry }: Deps, id: string): Promise<void> {
  for (;;) {
    const messages = [...registry.queueMessages.by('queue', id)].slice(0, removalBatch);
    if (messages.length === 0) break;
    await registry.commit(messages.map(row => removeRow('queueMessages', row)));
  }
  await commitAnew(registry, () => {
    const row = registry.queues.get(id);
    return row === undefined ? [] : [removeRow('queues', row)];
  });
}

function queueRow({ queues }: Pick<OrdersRegistry, 'queues'>, id: string): QueueRow {
  const row = queues.get(id);
  if (row === undefined) throw recordNotFound(urnOf('queue', id));
  return row;
}

const nameTaken = (name: string): OrdersError =>
  new OrdersError('already-exists', `There is a queue '${name}' already`, { name: 'name', value: name });
