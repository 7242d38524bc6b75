import { setTimeout as sleep } from 'node:timers/promises';
import { isError, type JsonObject, toError } from '@chandlery/api';
import type { Logger } from '@chandlery/platform';
import { backOffMs } from '@chandlery/runtime';
import { kindOf, type ManagedInstance, readManagedInstance } from '../model/managed-instance.ts';
import type { ControlPlane, DesiredList } from './control-plane.ts';

export interface DesiredStateOptions {
  readonly controlPlane: Pick<ControlPlane, 'list'>;
  /** The instance is another one than before, or new, or no longer listed. */
  readonly onChange: (instanceId: string) => void;
  readonly logger: Logger;
  /** How long the server may keep a poll. Default 30. */
  readonly waitSeconds?: number;
  /** Between lists of a server without long poll. Default 5,000. */
  readonly plainPollMs?: number;
}

const failureBackOff = { baseMs: 500, maxMs: 15_000 };
const plainPollMs = 5000;

/** What the control plane wants, as of its last response. A control plane that is away changes nothing. */
export class DesiredState {
  readonly #options: DesiredStateOptions;
  #instances: ReadonlyMap<string, ManagedInstance> = new Map();
  #kind = '';
  readonly #firstList = Promise.withResolvers<void>();

  constructor(options: DesiredStateOptions) {
    this.#options = options;
  }

  /** Resolves with the first list. */
  get listed(): Promise<void> {
    return this.#firstList.promise;
  }

  /** `Dinosaur`; empty before the first list. */
  get kind(): string {
    return this.#kind;
  }

  get(id: string): ManagedInstance | undefined {
    return this.#instances.get(id);
  }

  get ids(): Iterable<string> {
    return this.#instances.keys();
  }

  /** Polls until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    let revision: string | undefined;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const list = await this.#poll(revision, signal);
        failures = 0;
        if (list !== undefined) revision = list.revision;
        if (revision === undefined) await sleep(this.#options.plainPollMs ?? plainPollMs, undefined, { signal });
      } catch (thrown) {
        if (signal.aborted) return;
        failures++;
        const { message } = toError(thrown);
        this.#options.logger.warn('the control plane was not reached; instances keep running', { error: message });
        await sleep(backOffMs(failures, failureBackOff), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #poll(revision: string | undefined, signal: AbortSignal): Promise<DesiredList | undefined> {
    const { controlPlane, waitSeconds = 30 } = this.#options;
    const list = await controlPlane.list({ revision, waitSeconds: revision === undefined ? 0 : waitSeconds }, signal);
    if (list !== undefined) this.#replace(list);
    return list;
  }

  #replace({ kind, items }: DesiredList): void {
    const before = this.#instances;
    this.#kind = kindOf(kind);
    this.#instances = new Map(items.flatMap(item => this.#read(item)).map(instance => [instance.id, instance]));
    const changed = new Set([...before.keys(), ...this.#instances.keys()]);
    for (const id of changed) {
      if (JSON.stringify(before.get(id)) !== JSON.stringify(this.#instances.get(id))) this.#options.onChange(id);
    }
    this.#firstList.resolve();
  }

  /** An item that cannot be read spoils no other; what was known of it stays. */
  #read(item: JsonObject): readonly ManagedInstance[] {
    try {
      return [readManagedInstance(item)];
    } catch (error) {
      if (!isError(error, 'UnexpectedAnswer')) throw error;
      this.#options.logger.error('an instance of the list is left out', { error: error.message });
      const known = this.#instances.get(typeof item['id'] === 'string' ? item['id'] : '');
      return known === undefined ? [] : [known];
    }
  }
}
