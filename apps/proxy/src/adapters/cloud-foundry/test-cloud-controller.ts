import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { CloudConsumer } from './test-cloud-consumer.ts';
import { respondCloud } from './test-cloud-routes.ts';
import { CloudState } from './test-cloud-state.ts';

export interface TestCloudControllerOptions {
  /** Guids of organizations that exist; their names are the same. Default none. */
  readonly organizations?: readonly string[];
  /** Trusted when brokers are called, PEM. */
  readonly caPem?: string;
}

/** A Cloud Controller, version 3, that does what a proxy and its users ask of it. */
export interface TestCloudController extends AsyncDisposable {
  readonly url: string;
  readonly user: { readonly username: string; readonly password: string };
  readonly client: { readonly id: string; readonly secret: string };
  readonly state: CloudState;
  /** Orders for users: `createInstance`, `createBinding`, `marketplace` … */
  readonly consumer: CloudConsumer;
  /** The number of logins. */
  readonly logins: number;
  /** `METHOD path` of all requests with a valid token. */
  readonly requests: readonly string[];
  /** All tokens are refused from now on. */
  expireTokens(): void;
  /** The next requests whose method and path match are answered so. */
  failNext(match: RegExp, status: number): void;
}

/** Starts the double on a free port of this machine: `await using cloud = await startCloudController()`. */
export async function startCloudController(options: TestCloudControllerOptions = {}): Promise<TestCloudController> {
  const { organizations = [], caPem } = options;
  const state = new CloudState(caPem);
  for (const guid of organizations) state.organizations.set(guid, { guid, name: guid });
  const user = { username: 'cf-admin', password: 'cf-password' };
  const client = { id: 'proxy-client', secret: 'proxy-secret' };
  const failures: { readonly match: RegExp; readonly status: number }[] = [];
  const requests: string[] = [];
  let logins = 0;
  let token = 'token-0';

  const logIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    const authorization = request.headers.authorization ?? '';
    const isUser = form.get('grant_type') === 'password' && form.get('password') === user.password;
    const isClient =
      form.get('grant_type') === 'client_credentials' && authorization === basic(client.id, client.secret);
    if (!isUser && !isClient) return send(response, 401, { error: 'unauthorized' });
    token = `token-${++logins}`;
    send(response, 200, { access_token: token, token_type: 'bearer', expires_in: 600 });
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const origin = `http://${request.headers.host}`;
    const { method = '' } = request;
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', origin);
    if (path === '/') return send(response, 200, { links: { login: { href: origin }, uaa: { href: origin } } });
    if (path === '/oauth/token') return logIn(request, response);
    if (request.headers.authorization !== `bearer ${token}`) return send(response, 401, { errors: [] });
    requests.push(`${method} ${path}`);
    const failure = failures.findIndex(({ match }) => match.test(`${method} ${path}`));
    const [failed] = failure < 0 ? [] : failures.splice(failure, 1);
    if (failed !== undefined) return send(response, failed.status, { errors: [{ detail: 'made to fail' }] });
    const body = await text(request);
    const json: unknown = body === '' ? undefined : JSON.parse(body);
    const answer = await respondCloud(state, { method, path, query, json, origin });
    if (answer.location !== undefined) response.setHeader('location', answer.location);
    send(response, answer.status, answer.json);
  };

  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    user,
    client,
    state,
    requests,
    consumer: new CloudConsumer(state, caPem),
    get logins() {
      return logins;
    },
    expireTokens: () => {
      token = 'expired';
    },
    failNext: (match, status) => void failures.push({ match, status }),
    async [Symbol.asyncDispose]() {
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

function send(response: ServerResponse, status: number, json?: unknown): void {
  response.statusCode = status;
  if (json === undefined) return void response.end();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(json));
}
