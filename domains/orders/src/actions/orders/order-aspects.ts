import type { Json } from '../../model/bodies/body-fields.ts';
import { openPolicy } from '../../model/urns.ts';
import { createRow, type OrdersRegistry, type OrdersWrite } from '../../registry/orders-registry.ts';

/** What is recorded of orders, by the end of the schema's name. */
export type OrderAspect =
  | 'order-placed.1'
  | 'artifact-usedBy-order.1'
  | 'order-uses-workflow.1'
  | 'order-produced-artifact.1'
  | 'order-finished.1'
  | 'job.2'
  | 'job.result.1';

export interface OrderStatement {
  readonly tenant: string;
  /** The URN that it is about. */
  readonly entity: string;
  readonly schema: OrderAspect;
  readonly content: Json;
}

const asserter = 'urn:ivcap:service:order-dispatcher';

/** Returns the write of what the platform states about an order or an artifact. */
export const statement = (
  registry: Pick<OrdersRegistry, 'newId'>,
  { tenant, entity, schema, content }: OrderStatement,
): OrdersWrite => {
  const name = `urn:ivcap:schema:${schema}`;
  return createRow({
    table: 'aspects',
    id: registry.newId(),
    tenant,
    spec: {
      entity,
      schema: name,
      content: { $schema: name, ...content },
      contentType: 'application/json',
      policy: openPolicy.metadata,
      asserter,
    },
  });
};
