/** What this package needs of a logger. Fields never hold secrets or bodies. */
export interface HttpLogger {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Keeps silent. */
export const silentLogger: HttpLogger = { info: () => {}, warn: () => {}, error: () => {} };
