/** How one test file went. A test that contains tests counts as well, as in node's own summary. */
export interface FileResult {
  /** Relative to the repository. */
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly durationMs: number;
  /** CPU time of the file and of the processes that it started and that have ended; absent where it is unknown. */
  readonly cpuMs?: number;
  /** One text per failure: the test's full name, the error and its stack. */
  readonly failures: readonly string[];
  /** Why tests were skipped, each reason once. */
  readonly skipReasons: readonly string[];
}

/** The messages of a worker process to the runner. */
export type WorkerMessage =
  | { readonly type: 'started'; readonly file: string }
  | { readonly type: 'finished'; readonly result: FileResult }
  /** An error that belongs to no test, such as one thrown after its test had ended. */
  | { readonly type: 'stray'; readonly message: string };
