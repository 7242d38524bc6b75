import { isError, toError } from '@chandlery/api';
import { oneLine } from '../output/report-error.ts';

/** How it is told whether somebody can be reached, and how what they are needed for goes. */
export interface ContactWords {
  /** Before the first success. */
  readonly waiting: string;
  readonly lost: string;
  readonly regained: string;
  /** For failures that are no outage. */
  readonly failing: string;
  readonly mended: string;
}

/** What ends without anybody doing something about it. */
const outages = ['ConnectionFailed', 'Timeout', 'ServiceUnavailable', 'TooManyRequests', 'NotReady', 'InternalError'];

/** Whether somebody was away or busy, rather than that they refused. */
export const isOutage = (thrown: unknown): boolean => isError(thrown, ...outages);

/** Tells in one line when somebody cannot be reached, when the reason is another one, and when they can be reached again. */
export class Contact {
  readonly #words: ContactWords;
  readonly #tell: (line: string) => void;
  #wasReached = false;
  /** What was told last, while it holds. */
  #trouble: { readonly line: string; readonly isOutage: boolean } | undefined;

  constructor(words: ContactWords, tell: (line: string) => void) {
    this.#words = words;
    this.#tell = tell;
  }

  /** Takes note of how an attempt went; without a failure, it succeeded. */
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
