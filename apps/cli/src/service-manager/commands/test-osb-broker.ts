import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A small broker over HTTP, user `admin`, password `secret`. */
export interface TestOsbBroker extends AsyncDisposable {
  readonly url: string;
  /** What was sent with provisions, updates and bindings, in order. */
  readonly bodies: readonly Record<string, unknown>[];
  /** From now on a plan `broken` works, too. */
  repair(): void;
}

const plan = (offering: string, name: string, more: object = {}) => ({
  id: `${offering}-${name}`,
  name,
  description: `The plan ${name}.`,
  ...more,
});

const catalogOf = (offering: string) => ({
  services: [
    {
      id: `${offering}-id`,
      name: offering,
      description: `A ${offering}.`,
      bindable: true,
      plan_updateable: true,
      instances_retrievable: true,
      allow_context_updates: true,
      plans: [
        plan(offering, 'small', { metadata: { supportsInstanceSharing: true } }),
        plan(offering, 'large'),
        plan(offering, 'slow'),
        plan(offering, 'broken'),
        plan(offering, 'down'),
      ],
    },
  ],
});

interface State {
  readonly offering: string;
  readonly bodies: Record<string, unknown>[];
  readonly parameters: Map<string, unknown>;
  pollsLeft: number;
  isRepaired: boolean;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** The plan `slow` says "in progress" so often. */
const polls = 2;

/** Starts a broker with one offering: `await using broker = await startOsbBroker('database')`. */
export async function startOsbBroker(offering: string): Promise<TestOsbBroker> {
  const state: State = { offering, bodies: [], parameters: new Map(), pollsLeft: polls, isRepaired: false };
  const server = createServer((request, response) => void answer(state, request, response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: state.bodies,
    repair: () => {
      state.isRepaired = true;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, body } = await answerOf(state, request);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function answerOf(state: State, request: IncomingMessage): Promise<Answer> {
  const { method = '', url = '', headers } = request;
  const isKnown = headers.authorization === `Basic ${Buffer.from('admin:secret').toString('base64')}`;
  if (!isKnown) return { status: 401, body: { description: 'who are you?' } };
  if (url.startsWith('/v2/catalog')) return { status: 200, body: catalogOf(state.offering) };
  if (url.includes('/last_operation')) return lastOperation(state);
  const [, , , id = ''] = new URL(url, 'http://broker').pathname.split('/');
  if (method === 'GET') return { status: 200, body: { parameters: state.parameters.get(id) ?? {} } };
  return method === 'DELETE' ? { status: 200, body: {} } : make(state, id, request);
}

function lastOperation(state: State): Answer {
  state.pollsLeft -= 1;
  const isDone = state.pollsLeft < 0;
  return { status: 200, body: { state: isDone ? 'succeeded' : 'in progress', description: 'copying the data' } };
}

async function make(state: State, id: string, request: IncomingMessage): Promise<Answer> {
  const body = (await json(request)) as Record<string, unknown>;
  state.bodies.push(body);
  if (request.url?.includes('/service_bindings/') === true)
    return { status: 201, body: { credentials: { uri: 'db://user:pw@host' } } };
  const { plan_id: planId = '' } = body as { plan_id?: string };
  if (planId.endsWith('-broken') && !state.isRepaired)
    return { status: 400, body: { error: 'NoRoom', description: 'no room in the inn' } };
  if (planId.endsWith('-down')) return { status: 500, body: { description: 'out of order' } };
  state.parameters.set(id, body['parameters']);
  state.pollsLeft = polls;
  return planId.endsWith('-slow')
    ? { status: 202, body: {} }
    : { status: request.method === 'PUT' ? 201 : 200, body: {} };
}
