/** A line of a log in JSON, as our programs write it. Fields may have any value. */
export interface LogRecord {
  readonly level?: unknown;
  readonly message?: unknown;
  /** The object that it is about. */
  readonly key?: unknown;
  /** Which of its parts. */
  readonly what?: unknown;
  readonly stack?: unknown;
  readonly error?: { readonly message?: unknown; readonly stack?: unknown };
}

/** The record of a line, undefined when it is no JSON object. */
export function logRecordIn(line: string): LogRecord | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogRecord;
  } catch {
    return undefined;
  }
}
