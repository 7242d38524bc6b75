import { OrdersError } from '../../errors.ts';
import type { ParameterDefinition } from '../../kinds/index.ts';
import type { ParameterValue } from '../../model/parameters/verify-parameters.ts';
import { parseUrn, urnOf } from '../../model/urns.ts';
import { createRow, indexTerm, type OrdersRegistry, type OrdersWrite } from '../../registry/orders-registry.ts';

/** Values as containers get them, and the queues that are made for it. */
export interface ReplacedValues {
  readonly values: readonly ParameterValue[];
  readonly writes: readonly OrdersWrite[];
}

const maxMembers = 10_000;

interface Replacement {
  readonly order: string;
  readonly tenant: string;
  readonly definitions: readonly ParameterDefinition[];
  readonly values: readonly ParameterValue[];
}

/** Replaces collections by queues over their members as they are now: a container never sees a collection. */
export function replaceCollections(registry: OrdersRegistry, replacement: Replacement): ReplacedValues {
  const types = new Map(replacement.definitions.map(({ name, type }) => [name, type]));
  const writes: OrdersWrite[] = [];
  const values = replacement.values.map(given => {
    const members =
      types.get(given.name) === 'collection' ? membersOf(registry, replacement.tenant, given.value) : undefined;
    if (members === undefined) return given;
    const queue = registry.newId();
    writes.push(...queueWrites(registry, { ...replacement, queue, parameter: given.name, members }));
    return { name: given.name, value: urnOf('queue', queue) };
  });
  return { values, writes };
}

/** The URNs of artifacts; undefined when the value is a queue already. */
function membersOf({ artifacts }: OrdersRegistry, tenant: string, value: string): readonly string[] | undefined {
  const collection = parseUrn('collection', value);
  if (collection === undefined) return parseUrn('artifact', value) === undefined ? undefined : [value];
  const rows = [...artifacts.by('collection', indexTerm(tenant, collection))].filter(
    ({ status }) => status.status === 'ready',
  );
  if (rows.length > maxMembers)
    throw new OrdersError('limit-exceeded', `The collection ${value} has more than ${maxMembers} artifacts`, {
      id: value,
    });
  return rows.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1)).map(({ id }) => urnOf('artifact', id));
}

interface NewQueue extends Pick<Replacement, 'order' | 'tenant'> {
  readonly queue: string;
  readonly parameter: string;
  readonly members: readonly string[];
}

function queueWrites(
  registry: Pick<OrdersRegistry, 'now'>,
  { queue, order, tenant, parameter, members }: NewQueue,
): readonly OrdersWrite[] {
  const spec = { name: `order-${order}-${parameter}`, description: `Members of the parameter '${parameter}'` };
  const now = registry.now();
  const status = { lastSequence: members.length, ...(members.length > 0 && { firstTime: now, lastTime: now }) };
  return [
    createRow({ table: 'queues', id: queue, tenant, spec, status }),
    ...members.map((content, at) =>
      createRow({
        table: 'queueMessages',
        id: `${queue}.${at + 1}`,
        tenant,
        spec: { queue, sequence: at + 1, content, contentType: 'text/plain' },
        status: { state: 'pending' },
      }),
    ),
  ];
}
