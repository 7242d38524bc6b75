import { badRequest, invalidField, OrdersError } from '../../../errors.ts';
import { fieldsOf, withoutUndefined } from '../../../model/bodies/body-fields.ts';
import { columnsOf } from '../../../model/lists/list-column.ts';
import type { SecretRow } from '../../../registry/orders-registry.ts';
import { actorOf, type Call, noContent, type OrdersResponse, ok } from '../call.ts';
import type { HandlerDeps } from '../handler-deps.ts';
import { listRecords } from '../lists/list-records.ts';

const rawType = 'raw';
const maxValueLength = 64 * 1024;

const columns = columnsOf<SecretRow>({
  text: { 'secret-name': ({ spec }) => spec.name, 'secret-type': ({ spec }) => spec.type },
  time: { 'created-at': ({ createdAt }) => createdAt, 'expiry-time': ({ spec }) => spec.expiresAt },
});

/** Handlers of secrets. They return names and times; values are read by services, through the data proxy. */
export const secretHandlers = (deps: HandlerDeps) => {
  const { registry, actions } = deps;
  const find = (call: Call): SecretRow => {
    const name = call.query.get('secret-name') ?? '';
    if (name === '') throw badRequest('secret-name is missing');
    const type = call.query.get('secret-type') ?? rawType;
    const row = actions.secrets.find(actorOf(call).tenant, { name, type });
    if (row === undefined) throw new OrdersError('not-found', `There is no secret '${name}'`, { id: name });
    return row;
  };
  return {
    list: async (call: Call): Promise<OrdersResponse> =>
      ok(await listRecords(call, { name: 'secrets', columns, table: registry.secrets, present }, deps)),

    get: async (call: Call): Promise<OrdersResponse> => ok(present(find(call))),

    set: async (call: Call): Promise<OrdersResponse> => {
      const fields = fieldsOf(await call.body.json());
      const name = fields.requiredText('secret-name');
      const type = fields.text('secret-type') ?? rawType;
      if (type !== rawType) throw invalidField('secret-type', `secret-type must be ${rawType}`, type);
      const value = fields.requiredText('secret-value');
      if (value.length > maxValueLength)
        throw invalidField('secret-value', `secret-value is longer than ${maxValueLength}`);
      const expiresAt = expiryOf(fields.integer('expiry-time'), deps.clock.now());
      const actor = actorOf(call);
      await actions.secrets.set(actor, { name, type, value, expiresAt });
      const row = actions.secrets.find(actor.tenant, { name, type });
      return { status: 201, body: row === undefined ? { 'secret-name': name } : present(row) };
    },

    remove: async (call: Call): Promise<OrdersResponse> => {
      await actions.secrets.remove(find(call));
      return noContent;
    },
  };
};

/** Unix seconds; 0 and none stand for never. */
function expiryOf(seconds: number | undefined, now: Date): string | undefined {
  if (seconds === undefined || seconds === 0) return undefined;
  const ms = seconds * 1000;
  if (ms <= now.getTime() || ms > 8.64e15)
    throw invalidField('expiry-time', 'expiry-time must be a time in the future, in unix seconds', seconds);
  return new Date(ms).toISOString();
}

const present = ({ spec }: SecretRow): object =>
  withoutUndefined({
    'secret-name': spec.name,
    'secret-type': spec.type,
    'expiry-time': spec.expiresAt === undefined ? 0 : Math.floor(Date.parse(spec.expiresAt) / 1000),
  });
