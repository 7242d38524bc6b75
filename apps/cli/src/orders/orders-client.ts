import { ChandleryError } from '@chandlery/api';
import type { HttpClient, RawOptions, RawResponse } from '@chandlery/client';
import type { CommandContext } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { errorOfAnswer } from './orders-error.ts';

/** A request to the REST API of services and orders. */
export interface OrdersRequest extends Pick<RawOptions, 'method' | 'query' | 'headers' | 'isEndless' | 'timeoutMs'> {
  /** Sent as JSON; bytes are sent as they are. */
  readonly body?: unknown;
}

/** A page of a list. */
interface Page<T> {
  readonly items: readonly T[];
  readonly links: readonly { readonly rel: string; readonly href: string }[];
}

const pageSize = 50;

/** All failures are responses: the REST API says in its own words what went wrong. 429 is waited for. */
const failures = Array.from({ length: 200 }, (_, index) => 400 + index).filter(status => status !== 429);

/** The REST API of services and orders below `/1`. Rejects with its own errors. */
export class OrdersClient implements AsyncDisposable {
  readonly #client: HttpClient;
  /** The tenant that is meant; undefined: that of the caller. */
  readonly #namespace: string | undefined;

  constructor(client: HttpClient, namespace: string | undefined) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** Sends a request; `path` is made of its parts, which may hold anything. */
  async send(path: readonly string[], { body, headers = {}, ...rest }: OrdersRequest = {}): Promise<RawResponse> {
    const isBytes = body instanceof Uint8Array;
    const response = await this.#client.raw(`/${['1', ...path].map(encodeURIComponent).join('/')}`, {
      ...rest,
      isFromRoot: true,
      accept: failures,
      headers: {
        ...(this.#namespace === undefined ? {} : { 'x-chandlery-namespace': this.#namespace }),
        ...(body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
    });
    if (response.status >= 400) throw errorOfAnswer(response.status, await response.text());
    return response;
  }

  /** Sends a request and returns the body of the response. */
  async ask<T = unknown>(path: readonly string[], request: OrdersRequest = {}): Promise<T> {
    const text = await (await this.send(path, request)).text();
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      throw new ChandleryError('UnexpectedAnswer', 'the response of the landscape is not JSON', { cause });
    }
  }

  /** The records of a list, page by page as they are needed. */
  async *list<T>(path: readonly string[], query: Readonly<Record<string, string>> = {}): AsyncGenerator<T> {
    let wanted: Readonly<Record<string, string>> | undefined = { ...query, limit: String(pageSize) };
    while (wanted !== undefined) {
      const { items, links }: Page<T> = await this.ask<Page<T>>(path, { query: wanted });
      yield* items;
      const next = links.find(({ rel }) => rel === 'next');
      wanted = next && Object.fromEntries(new URL(next.href).searchParams);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}

/** The REST API of the landscape that a command line means. */
export const connectOrders = (context: CommandContext): OrdersClient =>
  new OrdersClient(connect(context), context.flags.text('namespace'));
