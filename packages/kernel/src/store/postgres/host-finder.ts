import type { SessionTarget } from '@chandlery/platform';
import pg from 'pg';
import { unavailable } from '../store-errors.ts';
import { messageOf } from './postgres-failure.ts';

/** What has to be known of a server to try it. */
interface Candidate {
  readonly place: string;
  readonly config: pg.ClientConfig;
}

export interface HostFinderOptions<H extends Candidate> {
  /** In the order in which they are tried. */
  readonly hosts: readonly H[];
  readonly target: SessionTarget;
}

/** Knows which of several servers is in use: the first that lets us in and takes writes. A single one is used untried. */
export class HostFinder<H extends Candidate> {
  readonly hosts: readonly H[];
  readonly #target: SessionTarget;
  readonly #listeners: (() => void)[] = [];
  #current: H | undefined;
  #last: H | undefined;
  #finding: Promise<H> | undefined;

  constructor({ hosts, target }: HostFinderOptions<H>) {
    this.hosts = hosts;
    this.#target = target;
    if (hosts.length === 1) this.#current = hosts[0];
  }

  get place(): string {
    return this.#current?.place ?? this.hosts.map(({ place }) => place).join(',');
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The server in use; finds one if there is none. Rejects with `Unavailable` when none will do. */
  async current(): Promise<H> {
    if (this.#current !== undefined) return this.#current;
    // All who ask meanwhile share the search.
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  /**
   * To be called when a server that was in use failed. Returns whether there are others, one of which is in use now; it may
   * be the same again, since the first in order that will do is used. Rejects with `Unavailable` when none will.
   */
  async leave(failed: H | undefined): Promise<boolean> {
    if (this.hosts.length === 1) return false;
    if (this.#current === failed) this.#current = undefined;
    await this.current();
    return true;
  }

  async #find(): Promise<H> {
    const reasons: string[] = [];
    for (const host of this.hosts) {
      const reason = await this.#problemOf(host);
      if (reason === undefined) {
        this.#use(host);
        return host;
      }
      reasons.push(`${host.place}: ${reason}`);
    }
    throw unavailable(`no PostgreSQL server will do: ${reasons.join('; ')}`);
  }

  #use(host: H): void {
    const isOther = this.#last !== undefined && this.#last !== host;
    this.#current = host;
    this.#last = host;
    if (isOther) for (const listener of this.#listeners) listener();
  }

  /** Why a server will not do; undefined when it will. */
  async #problemOf({ config }: H): Promise<string | undefined> {
    const client = new pg.Client(config);
    client.on('error', () => {});
    try {
      await client.connect();
      if (this.#target === 'any') return undefined;
      const { rows } = await client.query(`SELECT current_setting('transaction_read_only') AS state`);
      return (rows[0] as { state?: string } | undefined)?.state === 'off' ? undefined : 'it is read-only';
    } catch (thrown) {
      return messageOf(thrown);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
