import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiError } from '@chandlery/api';
import type { AtomicClient, Client } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { openRegistry, seedShip, shipAt, ships, startTestRegistry, updateRow } from './test-registry.ts';

/** A client whose watches of ships can be cut, and answer only when they may. */
class UnsteadyClient {
  readonly client: AtomicClient;
  /** How watches were opened. */
  readonly starts: string[] = [];
  readonly #real: AtomicClient;
  #cut = new AbortController();
  #gate = Promise.resolve();
  #failures: Error[] = [];

  constructor(real: AtomicClient) {
    this.#real = real;
    this.client = Object.assign(Object.create(real) as AtomicClient, {
      get: real.get.bind(real),
      commit: real.commit.bind(real),
      watch: (...call: Parameters<Client['watch']>) => this.#watch(...call),
    });
  }

  /** Ends the watch; the next ones fail with the errors, once they may. */
  cut(...failures: Error[]): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    this.#failures = failures;
    this.#cut.abort();
    this.#cut = new AbortController();
    return resolve;
  }

  async *#watch(...[ref, options = {}]: Parameters<Client['watch']>): ReturnType<Client['watch']> {
    if (ref.plural !== ships.plural) {
      yield* this.#real.watch(ref, options);
      return;
    }
    await this.#gate;
    this.starts.push(options.hasInitialEvents ? 'list' : 'resume');
    const failure = this.#failures.shift();
    if (failure !== undefined) throw failure;
    const signal = AbortSignal.any([this.#cut.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    yield* this.#real.watch(ref, { ...options, signal });
  }
}

const expired = () => apiError('Expired', 'too old resource version');
const outOfOrder = () => apiError('InternalError', 'out of order');

const cases = [
  { why: 'resumes where it was when its watch ends', failures: [], starts: ['resume'] },
  { why: 'resumes where it was after an error', failures: [outOfOrder()], starts: ['resume', 'resume'] },
  { why: 'lists again when history is compacted', failures: [expired()], starts: ['resume', 'list'] },
  {
    why: 'reads everything again when it is rejected again and again',
    failures: [outOfOrder(), outOfOrder(), outOfOrder()],
    starts: ['resume', 'resume', 'resume', 'list'],
  },
  {
    why: 'reads everything again until it is through',
    failures: [expired(), expired()],
    starts: ['resume', 'list', 'list'],
  },
];

for (const { why, failures, starts } of cases) {
  test(`a registry ${why}`, async () => {
    await using running = await startTestRegistry();
    const { registry, client } = running;
    const unsteady = new UnsteadyClient(client);
    await using followed = openRegistry({ client: unsteady.client });
    const [kept, gone, changed] = await Promise.all([1, 2, 3].map(() => seedShip(registry)));
    assert.ok(kept && gone && changed);
    await eventually(() => followed.ships.size === 3, { what: 'the first rows' });
    const received: string[] = [];
    followed.ships.listen(({ type, row }) => void received.push(`${type} ${row.id}`));

    const letGo = unsteady.cut(...failures);
    await client.commit([{ type: 'remove', ref: shipAt(gone.id) }]);
    await client.patch(shipAt(changed.id), { type: 'merge', body: { spec: { home: 'new' } } });
    const added = await seedShip(registry);
    const own = await seedShip(followed);
    letGo();
    await followed.ships.until(added.id, row => row !== undefined, AbortSignal.timeout(10_000));
    await followed.ships.until(gone.id, row => row === undefined, AbortSignal.timeout(10_000));
    await registry.ships.until(own.id, row => row !== undefined, AbortSignal.timeout(10_000));

    const expected = [`added ${own.id}`, `removed ${gone.id}`, `changed ${changed.id}`, `added ${added.id}`];
    assert.deepEqual(received.toSorted(), expected.toSorted());
    assert.deepEqual([...followed.ships.all()], [...registry.ships.all()]);
    assert.deepEqual(unsteady.starts, ['list', ...starts]);
  });
}

test('a registry that is closed before it is filled says so', async () => {
  await using running = await startTestRegistry();
  const unsteady = new UnsteadyClient(running.client);
  const letGo = unsteady.cut();
  const registry = openRegistry({ client: unsteady.client });
  const closed = registry[Symbol.asyncDispose]();
  letGo();
  await closed;
  await assert.rejects(registry.synced, { code: 'Stopped' });
});

test('a commit that fails because of what the watch has not delivered yet shows it', async () => {
  await using running = await startTestRegistry();
  const { registry, client } = running;
  const unsteady = new UnsteadyClient(client);
  await using behind = openRegistry({ client: unsteady.client });
  await behind.synced;
  const row = await seedShip(behind);
  const letGo = unsteady.cut();
  await registry.ships.until(row.id, found => found !== undefined, AbortSignal.timeout(5000));
  await registry.commit([updateRow({ table: 'ships', row, status: { cargo: '2' } })]);
  const late = updateRow({ table: 'ships', row, status: { cargo: '3' } });
  await assert.rejects(behind.commit([late]), { code: 'Conflict' });
  assert.equal(behind.ships.get(row.id)?.status.cargo, '2');
  letGo();
});
