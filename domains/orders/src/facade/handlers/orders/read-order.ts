import type { NewOrder } from '../../../actions/orders/create-order.ts';
import { badRequest, invalidField, recordNotFound } from '../../../errors.ts';
import { fieldsOf, type Json } from '../../../model/bodies/body-fields.ts';
import type { ParameterValue } from '../../../model/parameters/verify-parameters.ts';
import { parseUrn } from '../../../model/urns.ts';
import type { OrdersRegistry, ServiceRow } from '../../../registry/orders-registry.ts';
import { type Call, isInScope } from '../call.ts';

const maxKeyLength = 255;

/** Reads what is ordered. Throws `invalid`, `not-found` and `bad-request`. */
export function readOrder({ services }: Pick<OrdersRegistry, 'services'>, call: Call, body: Json): NewOrder {
  const fields = fieldsOf(body);
  return {
    service: findService(services, call, fields.requiredText('service')),
    parameters: (fields.objects('parameters') ?? []).map(readParameter),
    name: fields.text('name'),
    tags: fields.texts('tags'),
    policy: fields.text('policy'),
    execution: readExecution(fields.object('execution')),
    idempotencyKey: readKey(call.headers['idempotency-key']),
  };
}

function findService(services: OrdersRegistry['services'], { scope }: Call, urn: string): ServiceRow {
  const id = parseUrn('service', urn);
  if (id === undefined) throw invalidField('service', 'service must be the URN of a service', urn);
  const row = services.get(id);
  if (row === undefined || !isInScope(scope, row.tenant)) throw recordNotFound(urn);
  return row;
}

/** Values are texts; clients that send numbers and booleans are understood. */
function readParameter(body: Json, at: number): ParameterValue {
  const path = `parameters[${at}].`;
  const name = fieldsOf(body, path).requiredText('name');
  const { value } = body;
  if (typeof value === 'string') return { name, value };
  if (typeof value === 'boolean' || typeof value === 'number') return { name, value: String(value) };
  throw invalidField(name, `The value of parameter '${name}' must be text`, value);
}

function readExecution(execution: Record<string, unknown> | undefined): NewOrder['execution'] {
  if (execution === undefined) return undefined;
  const fields = fieldsOf(execution, 'execution.');
  const type = fields.text('type') ?? 'one-shot';
  if (type !== 'one-shot' && type !== 'standing')
    throw invalidField('execution.type', "execution.type must be 'one-shot' or 'standing'", type);
  const selector = fields.object('selector');
  return { type, ...(selector && { selector }) };
}

function readKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || header === '' || header.length > maxKeyLength)
    throw badRequest(`Idempotency-Key must have 1 to ${maxKeyLength} characters`);
  return header;
}
