import { ChandleryError } from '@chandlery/api';
import type { HttpClient } from '@chandlery/client';
import type { CommandContext } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { errorOfAnswer } from './fleet-error.ts';

/** The id below which the fleet manager serves operators of the landscape. */
export const landscapeId = 'fleet';

/** A request to the fleet manager. */
export interface FleetRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Whose token to use. Default: that of the kubeconfig. */
  readonly token?: string;
}

/** All failures are responses, with the fleet manager's own messages. 429 is retried. */
const failures = Array.from({ length: 200 }, (_, index) => 400 + index).filter(status => status !== 429);

/** The REST APIs of the fleet manager. Rejects with its own errors. */
export class FleetClient implements AsyncDisposable {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** Sends a request to a product, or to {@link landscapeId}; `path` is made of its parts, which may hold anything. */
  async ask<T = unknown>(product: string, path: readonly string[], request: FleetRequest = {}): Promise<T> {
    const { method = 'GET', query = {}, body, token } = request;
    const segments = [`${product}_mgmt`, 'v1', ...path].map(encodeURIComponent);
    const response = await this.#client.raw(`/api/${segments.join('/')}`, {
      method,
      query,
      isFromRoot: true,
      accept: failures,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400) throw errorOfAnswer(response.status, text);
    return parseBody(text) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}

/** The fleet manager of the landscape of a command line. */
export const connectFleet = (context: CommandContext): FleetClient => new FleetClient(connect(context));

function parseBody(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch (cause) {
    throw new ChandleryError('UnexpectedAnswer', 'the response of the fleet manager is not JSON', { cause });
  }
}
