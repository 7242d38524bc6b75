import { toError } from '@chandlery/api';
import { backOffMs, systemTimers, type Timers } from '@chandlery/runtime';
import { canonicalIp } from '../../model/endpoints/canonical-ip.ts';
import { type DnsAnswer, type DnsResolver, lookUpName } from './look-up-name.ts';

export interface DnsNamesOptions {
  readonly resolver: DnsResolver;
  /** Called when the answer for a name has come, changed or not. */
  readonly onAnswer: (name: string) => void;
  /** A shorter life is not believed. Default 1,000. */
  readonly minTtlMs?: number;
  /** A longer life is not believed. Default 300,000. */
  readonly maxTtlMs?: number;
  /** How long a name without addresses is believed to have none. Default 30,000. */
  readonly absentMs?: number;
  /** Names that are asked for at a time. Default 16. */
  readonly concurrency?: number;
  /** Default: the process's. */
  readonly timers?: Timers;
  /** From 0 up to but not 1. Default `Math.random`. */
  readonly random?: () => number;
}

interface Name {
  /** The last good one. */
  answer?: DnsAnswer;
  /** Why the last attempt failed. */
  failure?: string;
  failures: number;
  hasBeenAsked: boolean;
  cancel?: () => void;
}

/** Keeps the answers for names fresh: each is asked for once at a time, and again when its life is over. */
export class DnsNames implements Disposable {
  readonly #options: DnsNamesOptions;
  readonly #names = new Map<string, Name>();
  readonly #due = new Set<string>();
  readonly #inFlight = new Set<string>();
  #waiters: (() => void)[] = [];

  constructor(options: DnsNamesOptions) {
    this.#options = options;
  }

  /** Asks for it from now on; again does nothing. */
  watch(text: string): void {
    if (this.#names.has(text)) return;
    const ip = canonicalIp(text);
    const known = ip !== undefined && { answer: { targets: [{ ip }], ttlSeconds: undefined } };
    this.#names.set(text, { failures: 0, hasBeenAsked: ip !== undefined, ...known });
    if (ip === undefined) this.#makeDue(text);
  }

  /** Asks for it no longer and forgets it. */
  forget(text: string): void {
    this.#names.get(text)?.cancel?.();
    this.#names.delete(text);
    this.#wakeWaiters();
  }

  /** The last good answer; undefined while there was none. */
  answerOf(text: string): DnsAnswer | undefined {
    return this.#names.get(text)?.answer;
  }

  /** The names whose last attempt failed, and why. */
  listFailures(): readonly (readonly [name: string, why: string])[] {
    return [...this.#names].flatMap(([text, { failure }]) => (failure === undefined ? [] : [[text, failure] as const]));
  }

  /** Resolves when every name that is wanted has been asked for at least once, whatever came of it. */
  async settled(): Promise<void> {
    while (this.#names.values().some(({ hasBeenAsked }) => !hasBeenAsked))
      await new Promise<void>(resolve => this.#waiters.push(resolve));
  }

  [Symbol.dispose](): void {
    for (const text of [...this.#names.keys()]) this.forget(text);
  }

  #makeDue(text: string): void {
    this.#due.add(text);
    this.#askNext();
  }

  #askNext(): void {
    const { concurrency = 16 } = this.#options;
    for (const text of this.#due) {
      if (this.#inFlight.size >= concurrency) return;
      const name = this.#names.get(text);
      // The end of a question that is still open makes it due again.
      this.#due.delete(text);
      if (name !== undefined && !this.#inFlight.has(text)) void this.#ask(text, name);
    }
  }

  /** Never rejects. An answer for a name that was forgotten meanwhile is not taken, even if it is wanted anew. */
  async #ask(text: string, name: Name): Promise<void> {
    this.#inFlight.add(text);
    const outcome = await lookUpName(this.#options.resolver, text).catch(toError);
    this.#inFlight.delete(text);
    const current = this.#names.get(text);
    if (current === name) this.#take(text, name, outcome);
    else if (current !== undefined) this.#due.add(text);
    this.#askNext();
  }

  #take(text: string, name: Name, outcome: DnsAnswer | Error): void {
    name.hasBeenAsked = true;
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
    this.#wakeWaiters();
  }

  /** A part is left to chance, so that what was asked for together is not asked for together for ever. */
  #pauseMs({ failures, answer }: Name): number {
    const { minTtlMs = 1000, maxTtlMs = 300_000, absentMs = 30_000, random = Math.random } = this.#options;
    if (failures > 0) return backOffMs(failures, { baseMs: minTtlMs, maxMs: 60_000, jitter: 0.5 }, random);
    const ttlMs = answer?.ttlSeconds === undefined ? absentMs : answer.ttlSeconds * 1000;
    return Math.min(Math.max(Math.round(ttlMs * (0.9 + 0.2 * random())), minTtlMs), maxTtlMs);
  }

  #wakeWaiters(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
