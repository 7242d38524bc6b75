import { answerMessage, borrowMessage, type MessageAnswer } from '../../actions/queues/borrow-messages.ts';
import { badRequest, recordNotFound } from '../../errors.ts';
import { isJsonObject, parseJsonObject } from '../../model/bodies/body-fields.ts';
import { messageUrn, parseUrn, urnOf } from '../../model/urns.ts';
import type { QueueMessageRow, QueueRow } from '../../registry/orders-registry.ts';
import { actorOfCall, orderOfCall, type ProxyCall, type ProxyDeps, type ProxyResponse, readAll } from './proxy-call.ts';

/** Lends the oldest message: where it is, and the receipt that answers it. 204: the queue is empty. */
export async function borrow(deps: ProxyDeps, call: ProxyCall, urn: string): Promise<ProxyResponse> {
  const message = await borrowMessage(deps, findQueue(deps, call, urn), orderOfCall(call).id);
  if (message === undefined) return { status: 204 };
  const headers = { location: locationOf(call, message), 'x-ack-token': message.status.receipt ?? '' };
  return { status: 307, headers };
}

/** An artifact is where artifacts are; any other content at the address of the message. */
function locationOf({ base }: ProxyCall, { spec }: QueueMessageRow): string {
  const content = spec.content.trim();
  if (parseUrn('artifact', content) !== undefined) return `${base}/${content}`;
  return `${base}/${messageUrn(spec.queue, spec.sequence)}`;
}

const answers: readonly string[] = ['DoneOK', 'DoneError', 'Requeue'];

/** Answers a message: the body is the receipt, or `{token, status}`. */
export async function acknowledge(deps: ProxyDeps, call: ProxyCall, urn: string): Promise<ProxyResponse> {
  const text = (await readAll(call)).toString('utf8').trim();
  const body: unknown = text.startsWith('{') ? JSON.parse(text) : { token: text };
  const { token, status = call.headers['x-ack-status'] ?? 'DoneOK' } = isJsonObject(body) ? body : {};
  if (typeof token !== 'string' || token === '') throw badRequest('The body must be the token of X-Ack-Token');
  if (typeof status !== 'string' || !answers.includes(status))
    throw badRequest(`status must be one of ${answers.join(', ')}`);
  await answerMessage(deps, findQueue(deps, call, urn), { receipt: token, answer: status as MessageAnswer });
  return { status: 204 };
}

/** The content of a message that the order has borrowed. */
export async function readMessage({ registry }: ProxyDeps, call: ProxyCall, urn: string): Promise<ProxyResponse> {
  const order = orderOfCall(call);
  const [queue = '', sequence = ''] = urn.split(':').slice(3);
  const row = registry.queueMessages.get(`${queue}.${sequence}`);
  if (row?.tenant !== order.tenant || row.status.borrower !== urnOf('order', order.id)) throw recordNotFound(urn);
  const headers = {
    'content-type': row.spec.contentType ?? 'application/json',
    ...(row.spec.schema && { 'x-schema': row.spec.schema }),
  };
  return { status: 200, headers, body: once(row.spec.content) };
}

/** Sends a message to a queue, or takes messages out of it. */
export async function queueMessages(deps: ProxyDeps, call: ProxyCall, urn: string): Promise<ProxyResponse> {
  const queue = findQueue(deps, call, urn);
  if (call.method === 'GET') {
    const limit = Math.min(50, Math.max(1, Number(call.query.get('limit') ?? 1) || 1));
    const taken = await deps.actions.queues.receive(queue, limit);
    return { status: 200, body: { messages: taken.map(presentMessage) } };
  }
  const type = call.headers['content-type'] ?? 'application/json';
  const content = (await readAll(call)).toString('utf8');
  const schema = call.query.get('schema') ?? undefined;
  const id = await deps.actions.queues.send(queue, actorOfCall(call), { content, contentType: type, schema });
  return { status: 201, body: { id } };
}

/** Creates a queue of the order's tenant. */
export async function createQueue({ actions }: ProxyDeps, call: ProxyCall): Promise<ProxyResponse> {
  const { name, description } = parseJsonObject(await readAll(call));
  if (typeof name !== 'string' || name === '') throw badRequest('name is missing');
  const text = typeof description === 'string' ? description : undefined;
  const row = await actions.queues.create(actorOfCall(call), { name, description: text });
  return { status: 201, body: { id: urnOf('queue', row.id), name } };
}

const presentMessage = ({ spec }: QueueMessageRow): object => ({
  id: messageUrn(spec.queue, spec.sequence),
  content: spec.content,
  'content-type': spec.contentType ?? 'application/json',
  ...(spec.schema !== undefined && { schema: spec.schema }),
});

function findQueue({ registry }: ProxyDeps, { tenant }: ProxyCall, urn: string): QueueRow {
  const row = registry.queues.get(parseUrn('queue', urn) ?? '');
  if (row?.tenant !== tenant) throw recordNotFound(urn);
  return row;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
