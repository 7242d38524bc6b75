import type { ChandleryError } from '@chandlery/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setCommonHeaders } from './common-headers.ts';
import { type ErrorRenderer, type RenderedError, renderJsonError } from './error-renderer.ts';
import { toRequestFailure } from './http-errors.ts';
import type { HttpLogger } from './logger.ts';

/** Responds to failed requests in the format of the lens that their path belongs to. */
export class ErrorSender {
  readonly #logger: HttpLogger;
  readonly #byPrefix: { readonly prefix: string; readonly render: ErrorRenderer }[] = [];

  constructor(logger: HttpLogger) {
    this.#logger = logger;
  }

  /** The longest prefix of a request's path decides. */
  renderUnder(prefix: string, render: ErrorRenderer): void {
    this.#byPrefix.push({ prefix, render });
    this.#byPrefix.sort((left, right) => right.prefix.length - left.prefix.length);
  }

  send(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { error, isUnexpected } = toRequestFailure(thrown, request.id);
    const { status, body, contentType = 'application/json', headers = {} } = this.#render(error, request);
    // Also an error of our own that no lens has a status for: the client is referred to the log.
    if (isUnexpected || status === 500) this.#logUnexpected(thrown, request);
    // Again, because a failure of the framework itself comes before the hooks.
    setCommonHeaders(request, reply);
    reply.code(status).headers(headers).type(contentType).send(body);
  }

  #render(error: ChandleryError, request: FastifyRequest): RenderedError {
    const lens = this.#byPrefix.find(({ prefix }) => request.url.startsWith(prefix));
    try {
      return lens?.render(error, request) ?? renderJsonError(error);
    } catch (failure) {
      this.#logUnexpected(failure, request);
      return renderJsonError(error);
    }
  }

  #logUnexpected(thrown: unknown, { id, method, url }: FastifyRequest): void {
    const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    // The query stays out: some APIs put tokens there.
    this.#logger.error('a request failed unexpectedly', { request: id, method, path: url.split('?')[0], error });
  }
}
