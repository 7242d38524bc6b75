import { ChandleryError, isError } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import type { CommandContext } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { paramsOf } from './flags.ts';
import { errorOfResponse } from './response-error.ts';
import type { SmObject } from './sm-types.ts';

/** Names and values of a query; a name may come several times. */
export type SmQuery = readonly (readonly [name: string, value: string])[];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface SmRequest {
  /** Default GET. */
  readonly method?: Method;
  readonly query?: SmQuery;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default: that of the connection. */
  readonly timeoutMs?: number;
  /** Not only in the tenant that the command line names. Default false. */
  readonly isEverywhere?: boolean;
}

/** An answer that is no error. */
export interface SmResponse {
  readonly status: number;
  readonly body: unknown;
  /** The address of the operation of an asynchronous request. */
  readonly location: string | undefined;
}

/** The largest page that the service manager gives. */
const pageSize = '200';

/** All failures are answers: the service manager says in its own words what went wrong. 429 is waited for. */
const failures = Array.from({ length: 200 }, (_, index) => 400 + index).filter(status => status !== 429);

/** The service manager of a landscape, over the connection that all commands use. Rejects with its own error words. */
export class SmClient implements AsyncDisposable {
  readonly #client: HttpClient;
  readonly #params: SmQuery;
  readonly #tenant: string | undefined;

  constructor(client: HttpClient, { params, tenant }: { params: SmQuery; tenant: string | undefined }) {
    this.#client = client;
    this.#params = params;
    this.#tenant = tenant;
  }

  /** One resource, or whatever else a path shows. */
  async get<T = SmObject>(path: string, request: Omit<SmRequest, 'method'> = {}): Promise<T> {
    return (await this.send(path, request)).body as T;
  }

  /** All items of a list, page after page. */
  async all<T = SmObject>(path: string, request: Pick<SmRequest, 'query' | 'isEverywhere'> = {}): Promise<T[]> {
    const items: T[] = [];
    let token: string | undefined;
    do {
      const paging: SmQuery = [['max_items', pageSize], ...(token === undefined ? [] : [['token', token] as const])];
      const query = [...(request.query ?? []), ...paging];
      const page = await this.get<{ items?: T[]; token?: string }>(path, { ...request, query });
      for (const item of page.items ?? []) items.push(item);
      token = page.token;
    } while (token !== undefined);
    return items;
  }

  async send(path: string, request: SmRequest = {}): Promise<SmResponse> {
    const { status, text, location } = await this.sendText(path, request);
    if (status >= 400) throw errorOfResponse(status, text);
    return { status, body: parseBody(text), location };
  }

  /** Sends a request and answers whatever comes, errors too, as text. */
  async sendText(path: string, { method = 'GET', query = [], body, timeoutMs, isEverywhere = false }: SmRequest) {
    const tenant = isEverywhere ? undefined : this.#tenant;
    const response = await this.#client
      .raw(addressOf(path, [...query, ...this.#params]), {
        method,
        isFromRoot: true,
        accept: failures,
        headers: {
          ...(tenant === undefined ? {} : { 'x-chandlery-tenant': tenant }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      })
      .catch((thrown: unknown) => {
        throw isError(thrown, 'TooManyRequests') ? tooMany(thrown) : thrown;
      });
    return { status: response.status, text: await response.text(), location: response.headers['location'] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}

/** The service manager that a command line means. */
export const connectSm = (context: CommandContext): SmClient =>
  new SmClient(connect(context), { params: paramsOf(context.flags), tenant: context.flags.text('tenant') });

function addressOf(path: string, query: SmQuery): string {
  if (query.length === 0) return path;
  const text = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

function parseBody(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw new ChandleryError('UnexpectedAnswer', 'the answer of the service manager is not JSON', { cause });
  }
}

const tooMany = (cause: unknown): ChandleryError =>
  new ChandleryError('TooManyRequests', 'the service manager does not take more requests now', {
    hint: 'Wait a little and try again.',
    cause,
  });
