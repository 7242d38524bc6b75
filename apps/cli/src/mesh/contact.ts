import { isError, toError } from '@chandlery/api';
import { oneLine } from '../output/report-error.ts';

/** The messages about the reachability of a peer. */
export interface ContactMessages {
  /** Before the first success. */
  readonly waiting: string;
  readonly lost: string;
  readonly regained: string;
  /** For failures other than outages. */
  readonly failing: string;
  readonly mended: string;
}

/** Failures that end without manual action. */
const outages = ['ConnectionFailed', 'Timeout', 'ServiceUnavailable', 'TooManyRequests', 'NotReady', 'InternalError'];

/** Whether the peer was unreachable or busy, rather than rejecting the request. */
export const isOutage = (thrown: unknown): boolean => isError(thrown, ...outages);

/** Prints one line when a peer is not reachable, when the reason changes, and when it is reachable again. */
export class Contact {
  readonly #words: ContactMessages;
  readonly #tell: (line: string) => void;
  #wasReached = false;
  /** The last printed problem, while it lasts. */
  #trouble: { readonly line: string; readonly isOutage: boolean } | undefined;

  constructor(words: ContactMessages, tell: (line: string) => void) {
    this.#words = words;
    this.#tell = tell;
  }

  /** Records the result of an attempt; without a failure, it succeeded. */
  report(failure?: unknown): void {
    if (failure === undefined) this.#succeeded();
    else this.#failed(failure);
  }

  #succeeded(): void {
    const { regained, mended } = this.#words;
    if (this.#trouble && this.#wasReached) this.#tell(`${this.#trouble.isOutage ? regained : mended}.`);
    this.#wasReached = true;
    this.#trouble = undefined;
  }

  #failed(failure: unknown): void {
    const { waiting, lost, failing } = this.#words;
    const { message, hint } = toError(failure);
    const away = this.#wasReached ? lost : waiting;
    const next = hint === undefined ? '' : ` Next: ${oneLine(hint)}`;
    const line = `${isOutage(failure) ? away : failing}: ${oneLine(message).replace(/\.$/, '')}.${next}`;
    if (line !== this.#trouble?.line) this.#tell(line);
    this.#trouble = { line, isOutage: isOutage(failure) };
  }
}
