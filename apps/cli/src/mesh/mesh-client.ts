import { ChandleryError } from '@chandlery/api';
import { createClient, type HttpClient } from '@chandlery/client';
import type { CommandContext } from '../command.ts';
import { connectionOf } from '../landscape/connect.ts';
import { errorOfResponse } from './answer-error.ts';

/** A request to the mesh. */
export interface MeshRequest {
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON by POST. Default: a GET without a body. */
  readonly body?: unknown;
  /** Hints by error code, where the landscape has none. */
  readonly hints?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** All failures are responses with errors of the mesh. 429 is retried. */
const failures = Array.from({ length: 200 }, (_, index) => 400 + index).filter(status => status !== 429);

/** The HTTP interface of the mesh. Rejects with the error of the landscape. */
export class MeshClient implements AsyncDisposable {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** `path` consists of segments with any characters: `['meshes', 'a', 'proxies']`. */
  async ask<T>(path: readonly string[], { query = {}, body, hints, signal }: MeshRequest = {}): Promise<T> {
    const answer = await this.#client.raw(`/mesh/v1/${path.map(encodeURIComponent).join('/')}`, {
      isFromRoot: true,
      accept: failures,
      query,
      ...(signal && { signal }),
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    const text = await answer.text();
    if (answer.status >= 400) throw errorOfResponse(answer.status, text, hints);
    return parseAnswer(text) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client[Symbol.asyncDispose]();
  }
}

/** The mesh client of a command line. */
export const connectMesh = (context: CommandContext): MeshClient => new MeshClient(createClient(connectionOf(context)));

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ChandleryError('UnexpectedAnswer', 'the answer of the mesh is not JSON', { cause });
  }
}
