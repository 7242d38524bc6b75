import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A small broker: plans that begin with `async` take one question, all others are done at once. */
export interface TestBroker extends AsyncDisposable {
  readonly url: string;
  /** Bodies of the orders, by id. */
  readonly instances: ReadonlyMap<string, Record<string, unknown>>;
  readonly bindings: ReadonlyMap<string, Record<string, unknown>>;
  /** `METHOD path?query` of what was asked. */
  readonly requests: readonly string[];
  /** The next request that matches is answered so; with `isDone` it is carried out all the same. */
  failNext(match: RegExp, status: number, options?: { readonly isDone?: boolean }): void;
}

const plan = (id: string, name: string) => ({ id: `${id}-${name}`, name, description: name });

const catalogOf = (id: string, planNames: readonly string[]) => ({
  services: [
    {
      id,
      name: 'database',
      description: 'A database.',
      bindable: true,
      plan_updateable: true,
      bindings_retrievable: true,
      plans: planNames.map(name => plan(id, name)),
    },
  ],
});

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** Starts a broker whose ids begin with `id`. */
export async function startTestBroker(
  id = 'database',
  planNames: readonly string[] = ['sync', 'async', 'large'],
): Promise<TestBroker> {
  const instances = new Map<string, Record<string, unknown>>();
  const bindings = new Map<string, Record<string, unknown>>();
  const requests: string[] = [];
  const failures: { match: RegExp; status: number; isDone: boolean }[] = [];

  const change = (
    method: string,
    store: Map<string, Record<string, unknown>>,
    key: string,
    body: Record<string, unknown>,
  ): Answer => {
    const isAsync = String(body['plan_id'] ?? store.get(key)?.['plan_id']).endsWith('-async');
    const isBinding = store === bindings;
    if (method === 'DELETE') {
      const isThere = store.delete(key);
      return { status: isThere ? (isAsync ? 202 : 200) : 410, json: isAsync ? { operation: 'remove' } : {} };
    }
    const isNew = !store.has(key);
    store.set(key, { ...store.get(key), ...body });
    if (isAsync && isNew) return { status: 202, json: { operation: 'make' } };
    const made = isBinding
      ? { credentials: { user: 'u', password: 'p', port: 5432 } }
      : { dashboard_url: 'https://dash' };
    return { status: isNew ? 201 : 200, json: made };
  };

  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, 'http://broker');
    requests.push(`${method} ${url}`);
    const [, , collection, key = '', part, bindingId = ''] = pathname.replace(/^.*(?=\/v2\/)/, '').split('/');
    const body = JSON.parse((await text(request)) || '{}') as Record<string, unknown>;
    const found = failures.findIndex(({ match }) => match.test(`${method} ${url}`));
    const [failure] = found < 0 ? [] : failures.splice(found, 1);
    if (failure !== undefined && !failure.isDone)
      return { status: failure.status, json: { description: 'made to fail' } };
    if (collection === 'catalog') return { status: 200, json: catalogOf(id, planNames) };
    if (pathname.endsWith('/last_operation')) return { status: 200, json: { state: 'succeeded' } };
    const target = part === undefined ? { store: instances, key } : { store: bindings, key: bindingId };
    if (method === 'GET') return { status: 200, json: { credentials: { user: 'u', password: 'p', port: 5432 } } };
    const done = change(
      method,
      target.store,
      target.key,
      method === 'DELETE' ? { plan_id: searchParams.get('plan_id') } : body,
    );
    return failure === undefined ? done : { status: failure.status, json: { description: 'made to fail' } };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, json } = await answer(request);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(json));
  };
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    instances,
    bindings,
    requests,
    failNext: (match, status, { isDone = false } = {}) => void failures.push({ match, status, isDone }),
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
