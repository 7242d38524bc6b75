import { fields, type HostileRow, times } from './hostile-row.ts';
import type { HostileWorld } from './hostile-world.ts';

const encoded = (text: string): string => encodeURIComponent(text);
const codes = [200, 201, 202, 400, 404, 409, 413, 414, 422, 431];
const osb = { 'x-broker-api-version': '2.17' };

/** A query of the service manager. */
const queryRow = (what: string, size: number, query: (size: number) => string): HostileRow => ({
  what,
  size,
  codes,
  send: ({ platform }, length) => platform.send(`/v1/service_plans?${query(length)}`),
});

/** A body for the service manager, or for a broker behind it. */
const bodyRow = (
  what: string,
  size: number,
  request: (
    world: HostileWorld,
    size: number,
  ) => { readonly path: string; readonly method: string; readonly isOperator?: boolean },
  body: (size: number) => unknown,
): HostileRow => {
  const bodies = new Map<number, string>();
  const bodyOf = (length: number): string => {
    const text = bodies.get(length) ?? JSON.stringify(body(length));
    bodies.set(length, text);
    return text;
  };
  return {
    what,
    size,
    codes,
    prepare: async (_, length) => void bodyOf(length),
    send: (world, length) => {
      const { path, method, isOperator = false } = request(world, length);
      return (isOperator ? world.admin : world.platform).send(path, { method, headers: osb, body: bodyOf(length) });
    },
  };
};

const instance =
  (name: string) =>
  ({ brokerId }: HostileWorld, size: number) => ({
    path: `/v1/osb/${brokerId}/v2/service_instances/${name}-${size}`,
    method: 'PUT',
  });
const provision = (parameters: object) => ({
  service_id: 'database-id',
  plan_id: 'database-sync',
  organization_guid: 'o',
  space_guid: 's',
  context: { platform: 'kubernetes', clusterid: 'c', namespace: 'n' },
  parameters,
});
const nested = (depth: number): object =>
  times(Math.min(depth, 400), i => i).reduce<object>(inner => ({ a: inner }), {});

/** Queries and bodies of the service manager and of the Open Service Broker API, from a platform. */
export const serviceRows: readonly HostileRow[] = [
  queryRow(
    'a field query of many terms',
    40,
    size => `fieldQuery=${encoded(times(size, i => `name ne 'a${i}'`).join(' and '))}`,
  ),
  queryRow(
    'a field query of many values',
    80,
    size => `fieldQuery=${encoded(`name in (${times(size, i => `'a${i}'`).join()})`)}`,
  ),
  queryRow('a field query of many quotes', 300, size => `fieldQuery=${encoded(`name eq '${"''".repeat(size)}'`)}`),
  queryRow('a field query that never ends', 1000, size => `fieldQuery=${encoded(`name eq '${'a'.repeat(size)}`)}`),
  queryRow(
    'a label query of many terms',
    40,
    size => `labelQuery=${encoded(times(size, i => `a${i} ne 'b'`).join(' and '))}`,
  ),
  queryRow('many field queries', 30, size => times(size, i => `fieldQuery=${encoded(`name ne 'a${i}'`)}`).join('&')),
  bodyRow('OSB parameters with many keys', 3000, instance('wide'), size => provision(fields(size, () => 'x'))),
  bodyRow('OSB parameters in a long list', 9000, instance('list'), size => provision({ a: times(size, i => i) })),
  bodyRow('OSB parameters of a long text', 100_000, instance('long'), size => provision({ a: 'x'.repeat(size) })),
  bodyRow('OSB parameters nested deeply', 40, instance('deep'), size => provision(nested(size))),
  bodyRow(
    'an instance with many labels',
    1000,
    () => ({ path: '/v1/service_instances', method: 'POST', isOperator: true }),
    size => ({ name: 'x', service_plan_id: 'x', labels: fields(size, () => ['y']) }),
  ),
];
