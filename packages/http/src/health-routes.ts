import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** One thing that must work before requests are welcome. */
export interface ReadinessCheck {
  readonly name: string;
  readonly isOk: boolean;
  /** Shown to every client, also beside a check that passes: no secrets. */
  readonly reason?: string;
}

/** Checks everything the process depends on. A rejection counts as not ready. */
export type Readiness = () => Promise<readonly ReadinessCheck[]>;

/** Serves `/livez`, `/healthz` and `/readyz`, without authentication. */
export function addHealthRoutes(app: FastifyInstance, readiness: Readiness): void {
  const alive = async (request: FastifyRequest, reply: FastifyReply) =>
    report(request, reply, [{ name: 'ping', isOk: true }]);
  app.get('/livez', alive);
  app.get('/healthz', alive);
  app.get('/readyz', async (request, reply) => report(request, reply, await look(readiness)));
}

/** Longer than the checks themselves may take. */
const timeoutMs = 5000;

async function look(readiness: Readiness): Promise<readonly ReadinessCheck[]> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no result within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([readiness(), timeout]);
  } catch (failure) {
    return [{ name: 'readiness', isOk: false, reason: failure instanceof Error ? failure.message : String(failure) }];
  } finally {
    clearTimeout(timer);
  }
}

function report(request: FastifyRequest, reply: FastifyReply, checks: readonly ReadinessCheck[]): FastifyReply {
  const isOk = checks.every(check => check.isOk);
  const isVerbose = 'verbose' in (request.query as object);
  const name = request.url.split('?')[0]?.slice(1) ?? '';
  const lines = [...checks.map(formatCheck), `${name} check ${isOk ? 'passed' : 'failed'}`];
  return reply
    .code(isOk ? 200 : 503)
    .type('text/plain; charset=utf-8')
    .send(isOk && !isVerbose ? 'ok' : `${lines.join('\n')}\n`);
}

/** One line of a health answer. */
export const formatCheck = ({ name, isOk, reason }: ReadinessCheck): string =>
  `${isOk ? `[+]${name} ok` : `[-]${name} failed`}${reason === undefined ? '' : `: ${reason}`}`;
