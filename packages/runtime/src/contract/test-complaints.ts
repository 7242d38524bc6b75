import { AssertionError } from 'node:assert/strict';

/** Keeps what assertions say inside of callbacks, for `onError`; what a busy server does is no failure. */
export class Complaints {
  readonly failures: unknown[] = [];
  readonly onError = (error: unknown): void => {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (cause instanceof AssertionError) this.failures.push(cause);
  };
}
