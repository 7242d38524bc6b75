import type { HttpHost } from '@chandlery/http';
import type { Logger } from '@chandlery/platform';

/** What a fleet manager says that cannot read all of its objects. Names none: the client is not known. */
const reason = 'The fleet manager does not serve, because it cannot read all of its objects; see /readyz and the log';
const retryAfterSeconds = 30;

/**
 * Answers 503 in place of the REST APIs: an instance that is missing from the registry would count as deleted, and its
 * name, quota and capacity as free. Other APIs are served.
 */
export function serveClosed({ host, logger }: { readonly host: HttpHost; readonly logger: Logger }): void {
  logger.error('the fleet manager does not serve: stored objects of its own are damaged', {
    next: 'stop the server, run "chandlery store verify", and restore a backup',
  });
  host.app.all('/api/*', (_request, reply) => {
    void reply.code(503).header('retry-after', retryAfterSeconds).send({ id: '503', kind: 'Error', reason });
  });
}
