import { FollowedWorkflows } from '../../../actions/orders/follow-workflow.ts';
import type { LogLine } from '../../../actions/orders/merge-logs.ts';
import { followLog, orderLog } from '../../../actions/orders/order-log.ts';
import { badRequest, OrdersError } from '../../../errors.ts';
import { containersOf, type NodeContainer } from '../../../model/documents/order-pods.ts';
import { columnsOf } from '../../../model/lists/list-column.ts';
import { urnOf } from '../../../model/urns.ts';
import { type AspectRow, indexTerm, type OrderRow } from '../../../registry/orders-registry.ts';
import { artifactColumns, presentArtifactItem } from '../artifacts/present-artifact.ts';
import type { Call, OrdersResponse } from '../call.ts';
import { ok } from '../call.ts';
import { findRecord } from '../find-record.ts';
import { hrefOf } from '../links.ts';
import { listRecords } from '../lists/list-records.ts';
import { readFlag } from '../lists/read-list-query.ts';
import type { OrderHandlerDeps } from './order-deps.ts';

const aspectColumns = columnsOf<AspectRow>({
  text: { id: ({ id }) => urnOf('aspect', id), schema: ({ spec }) => spec.schema, entity: ({ spec }) => spec.entity },
  time: { 'created-at': ({ createdAt }) => createdAt, 'valid-from': ({ createdAt }) => createdAt },
});

/** The right to read an order includes what belongs to it. */
const within = (call: Call): Call => ({ ...call, scope: { ...call.scope, tenants: 'all' } });

/** Handlers of what belongs to an order: products, metadata, logs, usage. */
export const orderPartsHandlers = (deps: OrderHandlerDeps) => {
  const { registry } = deps;
  const followedWorkflows = new FollowedWorkflows(deps);
  const find = (call: Call): OrderRow => findRecord(call, 'order', registry.orders);
  return {
    products: async (call: Call): Promise<OrdersResponse> => {
      const { id, tenant } = find(call);
      const producer = indexTerm(tenant, id);
      const table = {
        newestFirst: (range: object = {}) =>
          registry.artifacts.newestFirst({ ...range, where: { index: 'producer', value: producer } }),
      };
      const list = { name: `orders/${id}/products`, columns: artifactColumns, table };
      return ok(await listRecords(within(call), { ...list, present: row => presentArtifactItem(row, call) }, deps));
    },

    metadata: async (call: Call): Promise<OrdersResponse> => {
      const { id, tenant } = find(call);
      const value = indexTerm(tenant, urnOf('order', id));
      const table = {
        newestFirst: (range: object = {}) =>
          registry.aspects.newestFirst({ ...range, where: { index: 'entity', value } }),
      };
      const list = { name: `orders/${id}/metadata`, columns: aspectColumns, table, isKeptForever: true };
      return ok(await listRecords(within(call), { ...list, present: row => presentMetadata(row, call) }, deps));
    },

    /** The lines of the containers of users, as text. */
    logs: async (call: Call): Promise<OrdersResponse> => {
      const row = find(call);
      const node = call.query.get('node') || undefined;
      const head = { status: 200, contentType: 'text/plain; charset=utf-8' };
      if (isFollowed(call))
        return {
          ...head,
          body: textOfParts(followLog(deps, row.id, { node, signal: call.signal })),
          followedTenant: row.tenant,
        };
      const range = { from: readSeconds(call, 'from'), to: readSeconds(call, 'to'), node };
      return { ...head, body: textOf(orderLog(deps, row, range)) };
    },

    /** The Workflow with its nodes, wherever it is executed; of a deleted one its last state. */
    workflow: async (call: Call): Promise<OrdersResponse> => {
      const { id, tenant, status } = find(call);
      if (isFollowed(call))
        return {
          status: 200,
          contentType: 'application/x-ndjson',
          body: followedWorkflows.follow(id, call.signal),
          followedTenant: tenant,
        };
      if (status.workflowDigest !== undefined)
        return { status: 200, contentType: 'application/json', body: deps.blobs.read(status.workflowDigest) };
      const workflow = status.workflow && (await deps.workflows.get(status.workflow));
      if (workflow === undefined)
        throw new OrdersError('not-found', 'The order has no Workflow', { id: urnOf('order', id) });
      return ok(workflow);
    },

    /** What the containers use at present. */
    top: async (call: Call): Promise<OrdersResponse> => {
      const { status } = find(call);
      const workflow = status.workflow && (await deps.workflows.get(status.workflow));
      const running = workflow === undefined ? [] : containersOf(workflow).filter(({ isRunning }) => isRunning);
      const rows = (
        await Promise.all(running.map(container => measure(deps, { ...container, cluster: status.workflow?.cluster })))
      ).flat();
      const isUnmeasured = rows.length === 0 && running.length > 0;
      return { ...ok(rows), headers: isUnmeasured ? { warning: unmeasured } : {} };
    },
  };
};

const isFollowed = ({ query }: Call): boolean => readFlag('follow', query.get('follow'), false);

const unmeasured = '199 - "The containers do not run on a node of this server, so nothing is known of what they use"';

async function measure(
  { readContainerUsage }: OrderHandlerDeps,
  container: NodeContainer & { readonly cluster: string | undefined },
): Promise<readonly object[]> {
  const usage = await readContainerUsage(container);
  if (usage === undefined) return [];
  const { cpu, memory, storage, ephemeralStorage } = usage;
  const name = `${container.node}/${container.container}`;
  return [{ container: name, cpu, memory, storage, 'ephemeral-storage': ephemeralStorage }];
}

const presentMetadata = ({ id, createdAt, spec, status }: AspectRow, call: Call): object => ({
  id: urnOf('aspect', id),
  href: hrefOf(call, 'aspect', id),
  entity: spec.entity,
  schema: spec.schema,
  content: spec.content,
  'content-type': spec.contentType ?? 'application/json',
  'valid-from': createdAt,
  ...(status.validTo !== undefined && { 'valid-to': status.validTo }),
});

/** Unix seconds, as milliseconds. `to` includes all of its second. */
function readSeconds({ query }: Call, name: 'from' | 'to'): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,12}(\.\d+)?$/.test(text)) throw badRequest(`${name} must be unix seconds, not '${text.slice(0, 30)}'`);
  return Number(text) * 1000 + (name === 'to' && !text.includes('.') ? 999 : 0);
}

const pieceBytes = 16 * 1024;

/** Sends what a part has before the next one is waited for. */
async function* textOfParts(parts: AsyncIterable<AsyncIterable<LogLine>>): AsyncGenerator<Uint8Array> {
  for await (const lines of parts) yield* textOf(lines);
}

async function* textOf(lines: AsyncIterable<LogLine>): AsyncGenerator<Uint8Array> {
  let piece = '';
  let since = Date.now();
  for await (const { text } of lines) {
    piece += `${text}\n`;
    if (piece.length < pieceBytes && Date.now() - since < 100) continue;
    yield Buffer.from(piece);
    piece = '';
    since = Date.now();
  }
  if (piece !== '') yield Buffer.from(piece);
}
