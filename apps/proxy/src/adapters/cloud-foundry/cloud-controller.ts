import { setTimeout as pause } from 'node:timers/promises';
import { ChandleryError } from '@chandlery/api';
import { type HttpCall, HttpCaller, type HttpResponse } from '../../http/http-caller.ts';
import { CloudControllerToken, type CloudFoundryLogin } from './cloud-controller-token.ts';

export interface CloudControllerOptions {
  /** `https://api.cf.example`. */
  readonly url: string;
  readonly login: CloudFoundryLogin;
  readonly caPem?: string | undefined;
  /** Default false. */
  readonly isInsecure?: boolean;
  /** Default 60,000. */
  readonly timeoutMs?: number;
  /** Between two looks at a job. Default 2,000. */
  readonly jobPollMs?: number;
  /** How long a job may take. Default 1,800,000. */
  readonly jobTimeoutMs?: number;
}

const pageSize = '100';

type Query = Readonly<Record<string, string>>;

/** One page of a list. */
interface ListPage<T> {
  readonly resources: readonly T[];
  /** Related records that the query has asked for by `include`, by their plural. */
  readonly included: Readonly<Record<string, readonly unknown[]>>;
}

type PageDocument<T> = Partial<ListPage<T>> & {
  readonly pagination?: { readonly next?: { readonly href?: string } | null };
};

/** The Cloud Controller, API version 3. Every status but 2xx is an error with the code `CloudController<status>`. */
export class CloudController implements AsyncDisposable {
  readonly #options: CloudControllerOptions;
  readonly #api: HttpCaller;
  readonly #token: CloudControllerToken;

  constructor(options: CloudControllerOptions) {
    const { url, caPem, isInsecure = false, timeoutMs = 60_000, login } = options;
    this.#options = options;
    this.#api = new HttpCaller({ baseUrl: url.replace(/\/+$/, ''), caPem, isInsecure, timeoutMs });
    this.#token = new CloudControllerToken({ api: this.#api, login, caPem, isInsecure, timeoutMs });
  }

  /** All items of a list. */
  async list<T>(path: string, query: Query = {}): Promise<T[]> {
    const items: T[] = [];
    for await (const { resources } of this.pages<T>(path, query)) items.push(...resources);
    return items;
  }

  /** The pages of a list, one request each. */
  async *pages<T>(path: string, query: Query = {}): AsyncGenerator<ListPage<T>> {
    let call: HttpCall | undefined = { path, query: { per_page: pageSize, ...query } };
    while (call !== undefined) {
      const { json } = await this.call(call);
      const { resources = [], included = {}, pagination } = json as PageDocument<T>;
      yield { resources, included };
      const next: string | undefined = pagination?.next?.href;
      call = next === undefined ? undefined : { path: pathOf(next) };
    }
  }

  /** Calls, and waits for the job that the answer may name. */
  async change(call: HttpCall): Promise<void> {
    const { headers } = await this.call(call);
    const job = headers['location'];
    if (job !== undefined && job !== '') await this.#finished(pathOf(job));
  }

  async call(call: HttpCall): Promise<HttpResponse> {
    const first = await this.#send(call);
    if (first.status !== 401) return accepted(call, first);
    this.#token.drop();
    return accepted(call, await this.#send(call));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#api[Symbol.asyncDispose]();
  }

  async #send(call: HttpCall): Promise<HttpResponse> {
    return this.#api.call({ ...call, headers: { ...call.headers, authorization: await this.#token.get() } });
  }

  async #finished(path: string): Promise<void> {
    const { jobPollMs = 2000, jobTimeoutMs = 1_800_000 } = this.#options;
    for (let waitedMs = 0; waitedMs <= jobTimeoutMs; waitedMs += jobPollMs) {
      const { json } = await this.call({ path });
      const { state, errors = [] } = json as { state?: string; errors?: readonly { detail?: string }[] };
      if (state === 'COMPLETE') return;
      if (state === 'FAILED') throw jobFailed(errors);
      await pause(jobPollMs);
    }
    throw new ChandleryError('Timeout', 'a job of the Cloud Controller did not end in time');
  }
}

/** A list in parts of at most so many items. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function pathOf(href: string): string {
  const { pathname, search } = new URL(href, 'http://relative');
  return pathname + search;
}

function accepted({ method = 'GET', path }: HttpCall, answer: HttpResponse): HttpResponse {
  const { status, json } = answer;
  if (status >= 200 && status < 300) return answer;
  const { errors = [] } = (json ?? {}) as { errors?: readonly { detail?: string }[] };
  const details = errors.map(({ detail = '' }) => detail).join(', ');
  const what = `the Cloud Controller answered ${status} to ${method} ${path.split('?', 1)[0]}`;
  throw new ChandleryError(`CloudController${status}`, details === '' ? what : `${what}: ${details}`);
}

const jobFailed = (errors: readonly { detail?: string }[]): ChandleryError =>
  new ChandleryError(
    'JobFailed',
    `a job of the Cloud Controller failed: ${errors.map(({ detail }) => detail).join(', ')}`,
  );
