import {
  cancelOrder,
  resubmitOrder,
  resumeOrder,
  retryOrder,
  setOrder,
  suspendOrder,
} from '../../../actions/orders/control-order.ts';
import { createOrder } from '../../../actions/orders/create-order.ts';
import { invalidField } from '../../../errors.ts';
import { fieldsOf, isJsonObject, type Json } from '../../../model/bodies/body-fields.ts';
import { type OrderRow, recordsAt } from '../../../registry/orders-registry.ts';
import { actorOf, type Call, type OrdersResponse, ok } from '../call.ts';
import { findRecord, findVersion } from '../find-record.ts';
import { listRecords } from '../lists/list-records.ts';
import type { OrderHandlerDeps } from './order-deps.ts';
import { orderColumns, presentOrder, presentOrderItem } from './present-order.ts';
import { readOrder } from './read-order.ts';

/** Handlers of orders: their records, and what can be asked of them. */
export const orderHandlers = (deps: OrderHandlerDeps) => {
  const { registry, orders } = deps;
  const find = (call: Call): OrderRow => findRecord(call, 'order', registry.orders);
  const present = (row: OrderRow, call: Call): OrdersResponse => ok(presentOrder(row, call, registry));
  return {
    list: async (call: Call): Promise<OrdersResponse> =>
      ok(
        await listRecords(
          call,
          {
            name: 'orders',
            columns: orderColumns,
            table: registry.orders,
            recordsAt: (tenant, time) => recordsAt(registry, { table: 'orders', tenant, time }),
            present: order => presentOrderItem(order, call),
          },
          deps,
        ),
      ),

    get: async (call: Call): Promise<OrdersResponse> =>
      ok(presentOrder(findVersion(call, { kind: 'order', table: 'orders' }, deps), call, registry)),

    create: async (call: Call): Promise<OrdersResponse> => {
      const order = readOrder(registry, call, await call.body.json());
      return present(await createOrder(orders, actorOf(call), order), call);
    },

    cancel: async (call: Call): Promise<OrdersResponse> => {
      const { id } = find(call);
      const mode = fieldsOf(await optionalBody(call)).text('mode') ?? 'stop';
      if (mode !== 'stop' && mode !== 'terminate')
        throw invalidField('mode', "mode must be 'stop' or 'terminate'", mode);
      return present(await cancelOrder(orders, id, mode), call);
    },

    suspend: async (call: Call): Promise<OrdersResponse> => present(await suspendOrder(orders, find(call).id), call),

    resume: async (call: Call): Promise<OrdersResponse> => {
      const { id } = find(call);
      const selector = fieldsOf(await optionalBody(call)).text('selector');
      return present(await resumeOrder(orders, id, selector === '' ? undefined : selector), call);
    },

    set: async (call: Call): Promise<OrdersResponse> => {
      const { id } = find(call);
      const body = await call.body.json();
      const selector = fieldsOf(body).text('selector');
      return present(await setOrder(orders, id, { selector, parameters: readValues(body['parameters']) }), call);
    },

    retry: async (call: Call): Promise<OrdersResponse> => {
      const { id } = find(call);
      const body = await optionalBody(call);
      const fields = fieldsOf(body);
      const selector = fields.text('selector');
      const options = {
        restartSuccessful: fields.flag('restart-successful') ?? false,
        ...(selector !== undefined && { selector }),
        ...(body['parameters'] !== undefined && { parameters: readValues(body['parameters']) }),
      };
      return present(await retryOrder(orders, id, options), call);
    },

    resubmit: async (call: Call): Promise<OrdersResponse> => {
      const row = find(call);
      return present(await resubmitOrder(orders, { username: call.username, tenant: row.tenant }, row), call);
    },
  };
};

const optionalBody = async (call: Call): Promise<Json> => (call.body.isPresent ? call.body.json() : {});

/** `{name: value}` or `[{name, value}]`. */
function readValues(given: unknown): Readonly<Record<string, string>> {
  const entries: readonly (readonly [unknown, unknown])[] = Array.isArray(given)
    ? given.map((parameter: Json) => [parameter['name'], parameter['value']] as const)
    : isJsonObject(given)
      ? Object.entries(given)
      : [[undefined, undefined]];
  for (const [name, value] of entries)
    if (typeof name !== 'string' || typeof value !== 'string')
      throw invalidField('parameters', 'parameters must have names and texts', given);
  return Object.fromEntries(entries) as Record<string, string>;
}
