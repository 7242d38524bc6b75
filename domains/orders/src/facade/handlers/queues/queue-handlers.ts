import { badRequest, invalidField, OrdersError } from '../../../errors.ts';
import { fieldsOf, withoutUndefined } from '../../../model/bodies/body-fields.ts';
import { columnsOf } from '../../../model/lists/list-column.ts';
import { accountUrn, messageUrn, urnOf } from '../../../model/urns.ts';
import { type QueueMessageRow, type QueueRow, recordsAt, type Version } from '../../../registry/orders-registry.ts';
import { actorOf, type Call, created, noContent, type OrdersResponse, ok } from '../call.ts';
import { findRecord, findVersion } from '../find-record.ts';
import type { HandlerDeps } from '../handler-deps.ts';
import { hrefOf, link } from '../links.ts';
import { listRecords } from '../lists/list-records.ts';
import { readLimit } from '../lists/read-list-query.ts';

type Queue = Version<'queues'>;

/** The size of one message. */
const maxMessageBytes = 256 * 1024;
const defaultMessages = 1;

const columns = columnsOf<Queue>({
  text: {
    id: ({ id }) => urnOf('queue', id),
    name: ({ spec }) => spec.name,
    description: ({ spec }) => spec.description,
    policy: ({ spec }) => spec.policy,
    account: ({ tenant }) => accountUrn(tenant),
  },
  time: { 'created-at': ({ createdAt }) => createdAt },
});

/** Handlers of queues and their messages. */
export const queueHandlers = (deps: HandlerDeps) => {
  const { registry, actions } = deps;
  const find = (call: Call): QueueRow => findRecord(call, 'queue', registry.queues);
  return {
    list: async (call: Call): Promise<OrdersResponse> =>
      ok(
        await listRecords(
          call,
          {
            name: 'queues',
            columns,
            table: registry.queues,
            recordsAt: (tenant, time) => recordsAt(registry, { table: 'queues', tenant, time }),
            present: queue => presentItem(queue, call),
          },
          deps,
        ),
      ),

    get: async (call: Call): Promise<OrdersResponse> =>
      ok(presentQueue(findVersion(call, { kind: 'queue', table: 'queues' }, deps), call, deps)),

    create: async (call: Call): Promise<OrdersResponse> => {
      const fields = fieldsOf(await call.body.json());
      const name = checkName(fields.requiredText('name'));
      const queue = { name, description: fields.text('description'), policy: fields.text('policy') };
      const row = await actions.queues.create(actorOf(call), queue);
      return created(presentQueue(row, call, deps), hrefOf(call, 'queue', row.id));
    },

    remove: async (call: Call): Promise<OrdersResponse> => {
      await actions.queues.remove(find(call));
      return noContent;
    },

    send: async (call: Call): Promise<OrdersResponse> => {
      const row = find(call);
      const content = textOf(await call.body.bytes(maxMessageBytes));
      const contentType = call.headers['content-type'];
      checkContent(content, contentType);
      const schema = call.query.get('schema') ?? undefined;
      const actor = { username: call.username, tenant: row.tenant };
      return { status: 201, body: { id: await actions.queues.send(row, actor, { content, contentType, schema }) } };
    },

    /** Takes messages out of the queue. */
    receive: async (call: Call): Promise<OrdersResponse> => {
      const row = find(call);
      const messages = await actions.queues.receive(row, readLimit(call.query.get('limit'), defaultMessages));
      return ok({ messages: messages.map(presentMessage), 'at-time': registry.now() });
    },
  };
};

/** Names are parts of subjects in other systems, hence what they may not contain. */
function checkName(name: string): string {
  if (/[\s.*>/\\]/.test(name))
    throw invalidField('name', 'name must not contain white space, ".", "*", ">" or slashes', name);
  return name;
}

function textOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined || bytes.length === 0)
    throw badRequest('The body is empty; it must be the content of the message');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new OrdersError('unsupported-content', 'The content of a message must be text in UTF-8');
  }
}

function checkContent(content: string, contentType: string | undefined): void {
  if (contentType !== undefined && !/^application\/(.+\+)?json\b/i.test(contentType)) return;
  try {
    JSON.parse(content);
  } catch {
    throw badRequest('The content of the message is no JSON; name another Content-Type if it is not meant to be');
  }
}

const presentItem = ({ id, tenant, spec }: Queue, call: Call): object =>
  withoutUndefined({
    id: urnOf('queue', id),
    href: hrefOf(call, 'queue', id),
    name: spec.name,
    description: spec.description,
    account: accountUrn(tenant),
  });

function presentQueue(queue: Queue, call: Call, { usage }: HandlerDeps): object {
  const { id, createdAt, spec, status } = queue;
  return withoutUndefined({
    ...presentItem(queue, call),
    href: undefined,
    policy: spec.policy,
    'created-at': createdAt,
    bytes: usage.queueBytes.of(id),
    'consumer-count': 0,
    'total-messages': status.lastSequence ?? 0,
    'first-time': status.firstTime,
    'last-time': status.lastTime,
    links: [link('self', hrefOf(call, 'queue', id)), link('messages', `${hrefOf(call, 'queue', id)}/messages`)],
  });
}

const presentMessage = ({ spec }: QueueMessageRow): object =>
  withoutUndefined({
    id: messageUrn(spec.queue, spec.sequence),
    content: spec.content,
    schema: spec.schema,
    'content-type': spec.contentType ?? 'application/json',
  });
