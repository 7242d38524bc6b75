import type { JsonObject } from '@chandlery/api';
import { type LogFormat, type LogLevel, logFormats, logLevels } from '@chandlery/platform';
import { smError } from '../../../errors.ts';
import type { Route } from '../transport/route.ts';

/** How the process writes its log. */
export interface LoggingSettings {
  readonly level: LogLevel;
  readonly format: LogFormat;
}

/** Reads and changes how the process writes its log. */
export interface Logging {
  get(): LoggingSettings;
  set(settings: LoggingSettings): void;
}

const path = '/v1/config/logging';

/** `GET` and `PUT /v1/config/logging`. */
export function loggingRoutes(logging: Logging): Route[] {
  return [
    {
      method: 'GET',
      path,
      who: 'operators',
      document: { tag: 'documents', summary: 'Reads how the log is written', responses: { 200: 'logging' } },
      respond: async () => ({ status: 200, body: { ...logging.get() } }),
    },
    {
      method: 'PUT',
      path,
      who: 'operators',
      document: {
        tag: 'documents',
        summary: 'Changes how the log is written, until the process ends',
        body: 'logging',
        responses: { 200: 'logging' },
      },
      respond: async ({ body }) => {
        logging.set(parseLogging(body, logging.get()));
        return { status: 200, body: { ...logging.get() } };
      },
    },
  ];
}

function parseLogging(body: JsonObject, present: LoggingSettings): LoggingSettings {
  return {
    level: oneOf(logLevels, body['level'] ?? present.level, 'level'),
    format: oneOf(logFormats, body['format'] ?? present.format, 'format'),
  };
}

function oneOf<T extends string>(known: readonly T[], value: unknown, field: string): T {
  const found = known.find(word => word === value);
  if (found === undefined) throw smError('BadRequest', `${field} must be one of ${known.join(', ')}`, { field });
  return found;
}
