import { toError } from '@chandlery/api';
import { backOffMs, systemTimers, type Timers } from '@chandlery/runtime';
import { canonicalIp } from '../../model/endpoints/canonical-ip.ts';
import { type DnsAnswer, type DnsResolver, lookUpName } from './look-up-name.ts';

export interface DnsNamesOptions {
  readonly resolver: DnsResolver;
  /** Called after each answer for a name, changed or not. */
  readonly onAnswer: (name: string) => void;
  /** Lower bound of the TTL. Default 1,000. */
  readonly minTtlMs?: number;
  /** Upper bound of the TTL. Default 300,000. */
  readonly maxTtlMs?: number;
  /** TTL of a name without addresses. Default 30,000. */
  readonly absentMs?: number;
  /** Maximum number of concurrent lookups. Default 16. */
  readonly concurrency?: number;
  /** Default: the process's. */
  readonly timers?: Timers;
  /** Returns numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

interface Name {
  /** The last good answer. */
  answer?: DnsAnswer;
  /** Why the last attempt failed. */
  failure?: string;
  failures: number;
  isLookedUp: boolean;
  cancel?: () => void;
}

/** Keeps the answers for names fresh: one lookup per name at a time, repeated when the TTL expires. */
export class DnsNames implements Disposable {
  readonly #options: DnsNamesOptions;
  readonly #names = new Map<string, Name>();
  readonly #due = new Set<string>();
  readonly #inFlight = new Set<string>();
  #waiters: (() => void)[] = [];

  constructor(options: DnsNamesOptions) {
    this.#options = options;
  }

  /** Starts to resolve the name. Calling it again has no effect. */
  watch(text: string): void {
    if (this.#names.has(text)) return;
    const ip = canonicalIp(text);
    const known = ip !== undefined && { answer: { targets: [{ ip }], ttlSeconds: undefined } };
    this.#names.set(text, { failures: 0, isLookedUp: ip !== undefined, ...known });
    if (ip === undefined) this.#makeDue(text);
  }

  /** Stops to resolve the name and drops its answer. */
  forget(text: string): void {
    this.#names.get(text)?.cancel?.();
    this.#names.delete(text);
    this.#resolveWaiters();
  }

  /** The last good answer; undefined before the first. */
  answerOf(text: string): DnsAnswer | undefined {
    return this.#names.get(text)?.answer;
  }

  /** The names whose last attempt failed, and why. */
  listFailures(): readonly (readonly [name: string, why: string])[] {
    return [...this.#names].flatMap(([text, { failure }]) => (failure === undefined ? [] : [[text, failure] as const]));
  }

  /** Resolves when every watched name has been looked up at least once, successfully or not. */
  async settled(): Promise<void> {
    while (this.#names.values().some(({ isLookedUp }) => !isLookedUp))
      await new Promise<void>(resolve => this.#waiters.push(resolve));
  }

  [Symbol.dispose](): void {
    for (const text of [...this.#names.keys()]) this.forget(text);
  }

  #makeDue(text: string): void {
    this.#due.add(text);
    this.#startLookUps();
  }

  #startLookUps(): void {
    const { concurrency = 16 } = this.#options;
    for (const text of this.#due) {
      if (this.#inFlight.size >= concurrency) return;
      const name = this.#names.get(text);
      // If its lookup is still in flight, the name becomes due again when that ends.
      this.#due.delete(text);
      if (name !== undefined && !this.#inFlight.has(text)) void this.#lookUp(text, name);
    }
  }

  /** Never rejects. An answer for a name that was dropped meanwhile is ignored, even if it is watched again. */
  async #lookUp(text: string, name: Name): Promise<void> {
    this.#inFlight.add(text);
    const outcome = await lookUpName(this.#options.resolver, text).catch(toError);
    this.#inFlight.delete(text);
    const current = this.#names.get(text);
    if (current === name) this.#take(text, name, outcome);
    else if (current !== undefined) this.#due.add(text);
    this.#startLookUps();
  }

  #take(text: string, name: Name, outcome: DnsAnswer | Error): void {
    name.isLookedUp = true;
    if (outcome instanceof Error) {
      name.failures++;
      name.failure = outcome.message;
    } else {
      name.failures = 0;
      delete name.failure;
      name.answer = outcome;
    }
    const { timers = systemTimers, onAnswer } = this.#options;
    name.cancel = timers.after(this.#pauseMs(name), () => this.#makeDue(text));
    if (!(outcome instanceof Error)) onAnswer(text);
    this.#resolveWaiters();
  }

  /** With jitter, so that names that were looked up together spread over time. */
  #pauseMs({ failures, answer }: Name): number {
    const { minTtlMs = 1000, maxTtlMs = 300_000, absentMs = 30_000, random = Math.random } = this.#options;
    if (failures > 0) return backOffMs(failures, { baseMs: minTtlMs, maxMs: 60_000, jitter: 0.5 }, random);
    const ttlMs = answer?.ttlSeconds === undefined ? absentMs : answer.ttlSeconds * 1000;
    return Math.min(Math.max(Math.round(ttlMs * (0.9 + 0.2 * random())), minTtlMs), maxTtlMs);
  }

  #resolveWaiters(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }
}
