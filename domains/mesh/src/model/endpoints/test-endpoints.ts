import fc from 'fast-check';
import type { Endpoint } from '../endpoint.ts';
import type { LocalityGroup } from '../locality-group.ts';

/** An endpoint with defaults for fields that do not matter to a test. */
export const someEndpoint = (more: Partial<Endpoint> = {}): Endpoint => ({
  ip: '10.0.0.1',
  port: 8080,
  portName: 'http',
  health: 'healthy',
  cluster: 'blue',
  ...more,
});

const places = fc.constantFrom(
  { cluster: 'blue', region: 'eu' },
  { cluster: 'blue', region: 'eu', zone: 'eu-a' },
  { cluster: 'blue', region: 'eu', zone: 'eu-b' },
  { cluster: 'green', region: 'eu', zone: 'eu-a' },
  { cluster: 'red', region: 'us', zone: 'us-a' },
  { cluster: 'grey' },
);

/** Endpoints of one port, with unique addresses. */
export const endpointLists = (maxLength = 20, maxWeight = 3): fc.Arbitrary<Endpoint[]> =>
  fc.uniqueArray(
    fc
      .record({
        last: fc.integer({ min: 1, max: 60 }),
        place: places,
        health: fc.constantFrom('healthy' as const, 'healthy' as const, 'unhealthy' as const, 'draining' as const),
        weight: fc.integer({ min: 1, max: maxWeight }),
      })
      .map(({ last, place, health, weight }) => someEndpoint({ ip: `10.0.0.${last}`, health, weight, ...place })),
    { maxLength, selector: ({ ip }) => ip },
  );

/** Places of clients. */
export const viewpoints = fc.constantFrom(
  { cluster: 'blue', region: 'eu' },
  { cluster: 'green', region: 'eu' },
  { cluster: 'green' },
  { cluster: 'nowhere', region: 'us' },
);

export const addressesOf = (groups: readonly LocalityGroup[]): readonly string[] =>
  groups.flatMap(({ endpoints }) => endpoints.map(({ ip, port }) => `${ip}:${port}`));

/** What clients reject: duplicate localities or addresses, gaps, and weights out of range. */
export function faultsOf(groups: readonly LocalityGroup[]): readonly string[] {
  const localities = groups.map(({ priority, region, zone, subZone }) => [priority, region, zone, subZone].join('\0'));
  const priorities = [...new Set(groups.map(({ priority }) => priority))];
  const sums = priorities.map(priority =>
    groups.filter(group => group.priority === priority).reduce((sum, { weight }) => sum + weight, 0),
  );
  const faults: readonly (readonly [string, boolean])[] = [
    ['an address comes twice', hasRepetition(addressesOf(groups))],
    ['a locality comes twice', hasRepetition(localities)],
    ['priorities have a gap', priorities.some((priority, index) => priority !== index)],
    ['a weight is not a positive integer', groups.some(({ weight }) => !Number.isInteger(weight) || weight < 1)],
    ['the weights of a priority are too large', sums.some(sum => sum > 2 ** 31 - 1)],
    ['a locality is empty', groups.some(({ endpoints }) => endpoints.length === 0)],
    [
      'localities are not sorted',
      localities.some((locality, index) => index > 0 && locality < (localities[index - 1] ?? '')),
    ],
  ];
  return faults.flatMap(([fault, isSo]) => (isSo ? [fault] : []));
}

const hasRepetition = (texts: readonly string[]): boolean => new Set(texts).size < texts.length;
