import type { IncomingMessage, RequestOptions } from 'node:http';

/** How a document is fetched. */
export interface FetchOptions {
  /** For the whole exchange. */
  readonly timeoutMs: number;
  /** Trusted certificate authorities in PEM. Default: those of Node. */
  readonly ca?: string;
}

const maxBytes = 1024 * 1024;

/** Gets a JSON document. Follows no redirects, reads no more than a megabyte, never hangs. */
export async function fetchJson(url: string, { timeoutMs, ca }: FetchOptions): Promise<unknown> {
  const response = await get(url, {
    headers: { accept: 'application/json' },
    // Documents are fetched minutes apart: a connection kept open would only keep the process from ending.
    agent: false,
    signal: AbortSignal.timeout(timeoutMs),
    ...(ca === undefined ? {} : { ca }),
  });
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`${url} answered ${response.statusCode}`);
  }
  return JSON.parse(await readText(response, url)) as unknown;
}

async function get(url: string, options: RequestOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Loaded late: with its WebSocket, `node:http` takes a sixth of the time that a short command takes.
  const { request } = await (url.startsWith('https:') ? import('node:https') : import('node:http'));
  request(url, options, resolve).on('error', reject).end();
  return promise;
}

async function readText(response: IncomingMessage, url: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`${url} answered more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
