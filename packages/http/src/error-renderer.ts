import type { ChandleryError } from '@chandlery/api';
import type { FastifyRequest } from 'fastify';
import { httpStatusOf } from './http-errors.ts';

/** An error as it goes to the client. */
export interface RenderedError {
  readonly status: number;
  readonly body: string | Buffer;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Default none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a lens shows errors: its own media type and shape. Must not throw. */
export type ErrorRenderer = (error: ChandleryError, request: FastifyRequest) => RenderedError;

/** The shape used where no lens has one of its own: code, message and, where known, what to do. */
export function renderJsonError(error: ChandleryError): RenderedError {
  const { code, message, hint, details } = error;
  const retryAfter = details.retryAfterSeconds;
  return {
    status: httpStatusOf(error),
    body: `${JSON.stringify({ code, message, ...(hint === undefined ? {} : { hint }) })}\n`,
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
  };
}
