import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiError } from '@chandlery/api';
import type { AtomicClient, Client } from '@chandlery/client';
import { eventually } from '@chandlery/testing';
import { brokerKinds, globalTenant } from '../kinds/index.ts';
import { seedPlatform, startTestRegistry } from '../test-registry.ts';
import { createRegistry } from './create-registry.ts';
import { updateRow } from './registry.ts';

/** A client whose watches of platforms can be cut, and answer only when they may. */
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
    if (ref.plural !== brokerKinds.platforms.plural) {
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
  { why: 'goes on where it was when its watch ends', failures: [], starts: ['resume'] },
  { why: 'goes on where it was after an error', failures: [outOfOrder()], starts: ['resume', 'resume'] },
  { why: 'reads everything again when history is gone', failures: [expired()], starts: ['resume', 'list'] },
  {
    why: 'reads everything again when it is refused again and again',
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
    await using followed = createRegistry({ client: unsteady.client });
    const platformAt = (id: string) => ({ ...brokerKinds.platforms.ref, namespace: globalTenant, name: id });
    const [kept, gone, changed] = await Promise.all([1, 2, 3].map(() => seedPlatform(registry)));
    assert.ok(kept && gone && changed);
    await eventually(() => followed.platforms.size === 3, { what: 'the first rows' });
    const heard: string[] = [];
    followed.platforms.listen(({ type, row }) => void heard.push(`${type} ${row.id}`));

    const letGo = unsteady.cut(...failures);
    await client.commit([{ type: 'remove', ref: platformAt(gone.id) }]);
    await client.patch(platformAt(changed.id), { type: 'merge', body: { spec: { description: 'new' } } });
    const added = await seedPlatform(registry);
    const own = await seedPlatform(followed);
    letGo();
    await followed.platforms.until(added.id, row => row !== undefined, AbortSignal.timeout(10_000));
    await followed.platforms.until(gone.id, row => row === undefined, AbortSignal.timeout(10_000));
    await registry.platforms.until(own.id, row => row !== undefined, AbortSignal.timeout(10_000));

    const expected = [`added ${own.id}`, `removed ${gone.id}`, `changed ${changed.id}`, `added ${added.id}`];
    assert.deepEqual(heard.toSorted(), expected.toSorted());
    assert.deepEqual([...followed.platforms.all()], [...registry.platforms.all()]);
    assert.deepEqual(unsteady.starts, ['list', ...starts]);
  });
}

test('a registry that is closed before it is filled says so', async () => {
  await using running = await startTestRegistry();
  const unsteady = new UnsteadyClient(running.client);
  const letGo = unsteady.cut();
  const registry = createRegistry({ client: unsteady.client });
  const closed = registry[Symbol.asyncDispose]();
  letGo();
  await closed;
  await assert.rejects(registry.synced, { code: 'Stopped' });
});

test('a commit that fails because of what the watch has not told yet shows it', async () => {
  await using running = await startTestRegistry();
  const { registry, client } = running;
  const unsteady = new UnsteadyClient(client);
  await using behind = createRegistry({ client: unsteady.client });
  await behind.synced;
  const row = await seedPlatform(behind);
  const letGo = unsteady.cut();
  await registry.platforms.until(row.id, found => found !== undefined, AbortSignal.timeout(5000));
  await registry.commit([updateRow({ table: 'platforms', row, status: { agentVersion: '2' } })]);
  const late = updateRow({ table: 'platforms', row, status: { agentVersion: '3' } });
  await assert.rejects(behind.commit([late]), { code: 'Conflict' });
  assert.equal(behind.platforms.get(row.id)?.status.agentVersion, '2');
  letGo();
});
