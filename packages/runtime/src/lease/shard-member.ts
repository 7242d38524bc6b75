import { createHash } from 'node:crypto';
import { isError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import { isSameJson } from '../controller/json-diff.ts';
import { claimedSpec, type Lease, leaseRef, newLease, type ObservedLease } from './lease-record.ts';
import type { LeaseTiming } from './lease-timing.ts';
import type { MemberClaims } from './shard-claims.ts';

/** Which group a member's lease belongs to. */
const groupLabel = 'chandlery.io/shard-group';
/** The shards that a member claims, separated by commas. */
const claimsAnnotation = 'chandlery.io/shards';
/** A lease that has been dead for so many of its lives is removed. */
const livesKept = 10;

export interface ShardMemberOptions {
  readonly client: Pick<Client, 'get' | 'listAll' | 'create' | 'update' | 'delete'>;
  readonly namespace: string;
  readonly group: string;
  readonly identity: string;
  readonly timing: LeaseTiming;
}

/** A member's own lease, and what it sees of the others'. */
export class ShardMember {
  readonly #options: ShardMemberOptions;
  readonly #name: string;
  #lease: Lease | undefined;
  #observed = new Map<string, ObservedLease>();

  constructor(options: ShardMemberOptions) {
    this.#options = options;
    const hash = createHash('sha256').update(options.identity).digest('hex');
    this.#name = `${options.group}-${hash.slice(0, 16)}`;
  }

  /**
   * Says that this member lives and what it claims. Answers whether others have seen its claims all the time: not so when
   * its lease was deleted and had to be made anew.
   */
  async write(claims: ReadonlySet<number>): Promise<boolean> {
    const uid = this.#lease?.metadata.uid;
    const written = (await this.#tryUpdate(this.#lease, claims)) ?? (await this.#tryUpdate(await this.#find(), claims));
    this.#lease = written ?? (await this.#create(claims));
    return this.#lease.metadata.uid === uid;
  }

  /** The other members that live, by this process' clock. */
  async readOthers(): Promise<MemberClaims[]> {
    const { client, group, timing } = this.#options;
    const seen = new Map<string, ObservedLease>();
    // Without a version the list is no older than the write before it: what the decision rests on.
    for await (const lease of client.listAll<Lease>(this.#collection, {
      labelSelector: `${groupLabel}=${group}`,
      timeoutMs: timing.renewDeadlineMs,
    })) {
      const name = lease.metadata.name ?? '';
      if (name !== this.#name) seen.set(name, this.#observe(name, lease));
    }
    this.#observed = seen;
    await this.#removeDead();
    return [...seen.values()].filter(observed => this.#isAlive(observed)).map(({ lease }) => claimsOf(lease));
  }

  /** Leaves, so that others need not wait for the lease to expire. */
  async remove(): Promise<void> {
    const { resourceVersion } = this.#lease?.metadata ?? {};
    if (resourceVersion === undefined) return;
    this.#lease = undefined;
    await this.#delete(this.#name, resourceVersion);
  }

  async #find(): Promise<Lease | undefined> {
    try {
      return await this.#options.client.get<Lease>(this.#ref(this.#name), this.#limits);
    } catch (error) {
      if (isError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #create(claims: ReadonlySet<number>): Promise<Lease> {
    const { client, namespace } = this.#options;
    const lease = newLease(namespace, this.#name, {});
    return client.create(this.#collection, this.#claimed(lease, claims), this.#limits);
  }

  /** Undefined when the lease is no longer as it was thought to be. */
  async #tryUpdate(lease: Lease | undefined, claims: ReadonlySet<number>): Promise<Lease | undefined> {
    if (lease === undefined) return undefined;
    try {
      return await this.#options.client.update(this.#ref(this.#name), this.#claimed(lease, claims), this.#limits);
    } catch (error) {
      if (isError(error, 'Conflict', 'NotFound')) return undefined;
      throw error;
    }
  }

  #claimed(lease: Lease, claims: ReadonlySet<number>): Lease {
    const { group, identity, timing } = this.#options;
    const { labels, annotations } = lease.metadata;
    const claimant = { identity, leaseDurationMs: timing.leaseDurationMs };
    const metadata = {
      ...lease.metadata,
      labels: { ...labels, [groupLabel]: group },
      annotations: { ...annotations, [claimsAnnotation]: [...claims].sort((a, b) => a - b).join(',') },
    };
    return { ...lease, metadata, spec: claimedSpec(lease, claimant, timing.clock.now()) };
  }

  #observe(name: string, lease: Lease): ObservedLease {
    const before = this.#observed.get(name);
    const isSame = before !== undefined && isSameJson(before.lease.spec, lease.spec);
    return { lease, atMs: isSame ? before.atMs : this.#options.timing.monotonicMs() };
  }

  #isAlive(observed: ObservedLease, lives = 1): boolean {
    const lifeMs = (observed.lease.spec?.leaseDurationSeconds ?? 0) * 1000;
    return this.#options.timing.monotonicMs() < observed.atMs + lives * lifeMs;
  }

  async #removeDead(): Promise<void> {
    const dead = [...this.#observed].filter(([, observed]) => !this.#isAlive(observed, livesKept));
    for (const [name, { lease }] of dead) await this.#delete(name, lease.metadata.resourceVersion ?? '');
  }

  async #delete(name: string, resourceVersion: string): Promise<void> {
    try {
      await this.#options.client.delete(this.#ref(name), { ...this.#limits, preconditions: { resourceVersion } });
    } catch (error) {
      // Gone already, or alive again.
      if (!isError(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  #ref(name: string) {
    return leaseRef(this.#options.namespace, name);
  }

  get #collection() {
    const { name: _, ...collection } = this.#ref('');
    return collection;
  }

  get #limits() {
    return { timeoutMs: this.#options.timing.renewDeadlineMs };
  }
}

function claimsOf({ metadata, spec }: Lease): MemberClaims {
  const text = metadata.annotations?.[claimsAnnotation] ?? '';
  return {
    identity: spec?.holderIdentity ?? '',
    claims: new Set(text === '' ? [] : text.split(',').map(Number)),
  };
}
