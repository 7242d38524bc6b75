import type { HttpHost } from '@chandlery/http';
import type { Logger } from '@chandlery/platform';

const message =
  'Services and orders are not served, because not all of their objects can be read; see /readyz and the log';
const retryAfterSeconds = 30;

/** Answers 503 in place of the REST API: a record that is missing from the registry would count as removed, and its bytes too. */
export function serveClosed({ host, logger }: { readonly host: HttpHost; readonly logger: Logger }): void {
  logger.error('services and orders are not served: stored objects are damaged', {
    next: 'stop the server, run "chandlery store verify", and restore a backup',
  });
  host.app.all('/1/*', (_request, reply) => {
    void reply.code(503).header('retry-after', retryAfterSeconds).send({ message, code: 'unavailable' });
  });
}
