import type { Answer } from '../caller.ts';
import { type HostileRow, times } from './hostile-row.ts';
import type { HostileWorld } from './hostile-world.ts';

/** Registrations that are in progress: they share one broker, so each waits for the one before. */
const registrations = new WeakMap<HostileWorld, Promise<unknown>>();

function registerNext(world: HostileWorld, catalog: string): Promise<Answer> {
  const before = registrations.get(world) ?? Promise.resolve();
  const next = before.catch(() => undefined).then(() => register(world, catalog));
  registrations.set(world, next);
  return next;
}

/** A broker of this catalog is registered, and removed again when that worked. */
async function register(world: HostileWorld, catalog: string): Promise<Answer> {
  const { admin, broker } = world;
  broker.misbehave({ type: 'answer', status: 200, body: catalog }, { path: /catalog/ });
  const body = { name: 'hostile', broker_url: broker.url, credentials: { basic: { username: 'u', password: 'p' } } };
  const answer = await admin.send('/v1/service_brokers', { body });
  broker.behave();
  if (answer.status === 201) {
    const removed = await admin.send(`/v1/service_brokers/${answer.json<{ id: string }>().id}`, { method: 'DELETE' });
    if (removed.status >= 300) return removed;
  }
  return answer;
}

const catalogRow = (what: string, size: number, catalog: (size: number) => string): HostileRow => {
  // Made once for each size: the broker's work is not what is measured.
  const made = new Map<number, string>();
  return {
    what,
    size,
    codes: [201, 400, 413, 422, 502],
    prepare: async (_, length) => void made.set(length, catalog(length)),
    send: (world, length) => registerNext(world, made.get(length) ?? catalog(length)),
  };
};

const plan = (id: string, more: object = {}): object => ({ id, name: id, description: 'd', ...more });
const offering = (id: string, plans: readonly object[], more: object = {}): object => ({
  ...{ id, name: id, description: 'd', bindable: true, plans },
  ...more,
});
const catalogOf = (...services: readonly object[]): string => JSON.stringify({ services });
/** A catalog whose only offering has this JSON as its metadata. */
const withMetadata = (json: string): string =>
  catalogOf(offering('o', [plan('p')], { metadata: { value: 0 } })).replace('"value":0', `"value":${json}`);
const nested = (open: string, end: string, depth: number): string => `${open.repeat(depth)}0${end.repeat(depth)}`;

/** Catalogs of a registered broker. */
export const catalogRows: readonly HostileRow[] = [
  catalogRow('a catalog of many plans', 200, size =>
    catalogOf(
      offering(
        'o',
        times(size, i => plan(`p${i}`)),
      ),
    ),
  ),
  catalogRow('a catalog of many offerings', 100, size =>
    catalogOf(...times(size, i => offering(`o${i}`, [plan(`p${i}`)]))),
  ),
  catalogRow('a catalog of offerings that are one', 400, size =>
    catalogOf(...times(size, i => offering(i === size - 1 ? 'o0' : `o${i}`, [plan('p')]))),
  ),
  catalogRow('a catalog of many tags', 5000, size =>
    catalogOf(offering('o', [plan('p')], { tags: times(size, i => `tag-${i}`) })),
  ),
  catalogRow('a catalog of lists nested deeply', 60_000, size => withMetadata(nested('[', ']', size))),
  catalogRow('a catalog of objects nested deeply', 20_000, size => withMetadata(nested('{"a":', '}', size))),
  catalogRow('a catalog of a schema nested deeply', 1000, size => {
    const parameters = JSON.parse(nested('{"properties":{"a":', '}}', size).replace('0', '{}')) as object;
    return catalogOf(offering('o', [plan('p', { schemas: { service_instance: { create: { parameters } } } })]));
  }),
  catalogRow('a catalog of any length', 2_000_000, size =>
    catalogOf(offering('o', [plan('p', { x: 'x'.repeat(size) })])),
  ),
];
