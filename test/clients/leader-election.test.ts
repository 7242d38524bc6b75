import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, startTestLandscape, type TestLandscape } from '@chandlery/testing';
import { ApiException, CoordinationV1Api, type V1Lease, V1MicroTime } from '@kubernetes/client-node';
import { changed } from './support/changed.ts';
import { accountConfig, adminConfig } from './support/kubeconfigs.ts';

let landscape: TestLandscape;

before(async () => {
  landscape = await startTestLandscape();
  await landscape.createCluster('shop');
});
after(() => landscape?.[Symbol.asyncDispose]());

const namespace = 'default';
const name = 'the-leader';
const durationMs = 1000;

const isCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof ApiException && codes.includes(error.code);

/** A candidate of an election in the way of client-go: the first writer of the lease holds it. */
class Candidate {
  readonly id: string;
  readonly #leases: CoordinationV1Api;
  #observed: { version: string; atMs: number } | undefined;
  isLeader = false;

  constructor(id: string, leases: CoordinationV1Api) {
    this.id = id;
    this.#leases = leases;
  }

  /** Tries once to get or keep the lease. */
  async tryToLead(): Promise<boolean> {
    try {
      this.isLeader = await this.#acquire();
    } catch (error) {
      if (!isCode(error, 404, 409)) throw error;
      // Another candidate was faster.
      this.isLeader = false;
    }
    return this.isLeader;
  }

  async release(): Promise<void> {
    const lease = await this.#leases.readNamespacedLease({ namespace, name });
    if (lease.spec?.holderIdentity !== this.id) return;
    this.isLeader = false;
    await this.#write(changed(lease, { spec: changed(lease.spec, { holderIdentity: '' }) }));
  }

  async #acquire(): Promise<boolean> {
    const lease = await this.#leases.readNamespacedLease({ namespace, name }).catch((error: unknown) => {
      if (isCode(error, 404)) return undefined;
      throw error;
    });
    if (lease === undefined) {
      await this.#leases.createNamespacedLease({ namespace, body: { metadata: { name }, spec: this.#spec(0) } });
      return true;
    }
    const holder = lease.spec?.holderIdentity ?? '';
    if (holder !== '' && holder !== this.id && !this.#isStale(lease)) return false;
    const transitions = (lease.spec?.leaseTransitions ?? 0) + (holder === this.id ? 0 : 1);
    await this.#write(changed(lease, { spec: this.#spec(transitions) }));
    return true;
  }

  #write(body: V1Lease): Promise<V1Lease> {
    return this.#leases.replaceNamespacedLease({ namespace, name, body });
  }

  /** A lease has expired when it has not changed for its whole duration, by our own clock. */
  #isStale({ metadata }: V1Lease): boolean {
    const version = metadata?.resourceVersion ?? '';
    if (this.#observed?.version !== version) this.#observed = { version, atMs: performance.now() };
    return performance.now() - this.#observed.atMs > durationMs;
  }

  #spec(leaseTransitions: number): NonNullable<V1Lease['spec']> {
    return {
      holderIdentity: this.id,
      leaseDurationSeconds: durationMs / 1000,
      renewTime: new V1MicroTime(),
      leaseTransitions,
    };
  }
}

async function createCandidates(): Promise<[Candidate, Candidate]> {
  const admin = adminConfig(landscape, 'shop').makeApiClient(CoordinationV1Api);
  const account = (await accountConfig(landscape, 'shop', 'second')).makeApiClient(CoordinationV1Api);
  return [new Candidate('first', admin), new Candidate('second', account)];
}

test('two candidates, one lease: never two leaders, and the office passes on', async () => {
  const [first, second] = await createCandidates();
  const both = async () => (await Promise.all([first.tryToLead(), second.tryToLead()])).filter(Boolean).length;
  // Both at once, many times: the store lets one through.
  for (let round = 0; round < 20; round++) assert.ok((await both()) <= 1, `round ${round}`);
  const leader = (await first.tryToLead()) ? first : second;
  const other = leader === first ? second : first;
  assert.equal(await leader.tryToLead(), true);
  assert.equal(await other.tryToLead(), false);

  await leader.release();
  assert.equal(await other.tryToLead(), true, 'a released lease is free at once');
  assert.equal(await leader.tryToLead(), false);

  // The leader falls silent: after the lease has run out the other takes over.
  await eventually(() => leader.tryToLead(), { what: 'the take-over', timeoutMs: 20_000, pauseMs: 50 });
  assert.equal(await other.tryToLead(), false, 'the old leader finds out with its next try');
});

test('an outdated write of a former leader is rejected', async () => {
  const leases = adminConfig(landscape, 'shop').makeApiClient(CoordinationV1Api);
  const spec = { holderIdentity: 'a', leaseDurationSeconds: 1, renewTime: new V1MicroTime() };
  const made = await leases.createNamespacedLease({ namespace, body: { metadata: { name: 'fenced' }, spec } });
  await leases.replaceNamespacedLease({
    namespace,
    name: 'fenced',
    body: changed(made, { spec: { ...spec, holderIdentity: 'b' } }),
  });
  await assert.rejects(leases.replaceNamespacedLease({ namespace, name: 'fenced', body: made }), error =>
    isCode(error, 409),
  );
  const { spec: held } = await leases.readNamespacedLease({ namespace, name: 'fenced' });
  assert.equal(held?.holderIdentity, 'b');
});
