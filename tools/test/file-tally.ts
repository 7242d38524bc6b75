import type { EventData } from 'node:test';
import { inspect } from 'node:util';
import type { FileResult } from './messages.ts';

type Ended = EventData.TestPass | EventData.TestFail;
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Tally = Mutable<FileResult> & { readonly failures: string[]; readonly skipReasons: string[] };

interface Known {
  readonly name: string;
  readonly parentId: number | undefined;
}

/** Why node says that a suite failed, when only because something inside it did: that was counted there. */
const failedInside = 'subtestsFailed';

/** Adds up the events of node's test runner per file, where each file is one outermost suite. */
export class FileTally {
  readonly #tests = new Map<number, Known>();
  readonly #tallies = new Map<string, Tally>();

  /** A test or suite was found. */
  found({ testId, name, parentId }: EventData.TestEnqueue | Ended): void {
    this.#tests.set(testId, { name, parentId });
  }

  /** A test or suite ended well. Returns the file's result when that was its outermost suite. */
  passed(event: EventData.TestPass): FileResult | undefined {
    const tally = this.#tallyOf(event);
    if (event.details.type !== 'suite') {
      if (isLeftOut(event)) tally.skipped += 1;
      else tally.passed += 1;
    }
    return this.#ended(event, tally);
  }

  /** A test or suite failed. Returns the file's result when that was its outermost suite. */
  failed(event: EventData.TestFail): FileResult | undefined {
    const tally = this.#tallyOf(event);
    const { type, error } = event.details;
    if (isLeftOut(event)) tally.skipped += 1;
    else if (type !== 'suite' || failureType(error) !== failedInside) {
      tally.failed += 1;
      tally.failures.push(
        `${this.#path(event.testId).slice(1).join(' › ') || 'the file itself'}\n${describeError(error)}`,
      );
    }
    return this.#ended(event, tally);
  }

  #ended(event: Ended, tally: Tally): FileResult | undefined {
    if (event.nesting > 0) return undefined;
    return { ...tally, durationMs: event.details.duration_ms };
  }

  #tallyOf(event: Ended): Tally {
    // A test that was cancelled before its turn was never announced.
    this.found(event);
    const file = this.#path(event.testId)[0] ?? event.name;
    const tally = this.#tallies.get(file) ?? emptyResult(file);
    this.#tallies.set(file, tally);
    const { skip } = event;
    if (typeof skip === 'string' && !tally.skipReasons.includes(skip)) tally.skipReasons.push(skip);
    return tally;
  }

  /** Names from the outermost suite, which is the file, to the test. */
  #path(testId: number): string[] {
    const names: string[] = [];
    for (let known = this.#tests.get(testId); known !== undefined; known = this.#tests.get(known.parentId ?? 0)) {
      names.unshift(known.name);
    }
    return names;
  }
}

/** A result to add to. */
export const emptyResult = (file: string): Tally => ({
  file,
  passed: 0,
  failed: 0,
  skipped: 0,
  durationMs: 0,
  failures: [],
  skipReasons: [],
});

const isLeftOut = ({ skip, todo }: Ended): boolean => (skip ?? false) !== false || (todo ?? false) !== false;

const failureType = (error: Error): unknown => (error as { failureType?: unknown }).failureType;

/** Node wraps what the test threw; people want what the test threw. */
function describeError(error: EventData.Error): string {
  const { cause } = error;
  const text =
    cause instanceof Error ? inspect(cause) : failureType(error) === 'testCodeFailure' ? inspect(cause) : error.message;
  return text.replaceAll(/^/gm, '  ');
}
