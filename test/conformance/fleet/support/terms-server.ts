import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A terms service that remembers what it was asked. */
export interface TermsServer extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly Readonly<Record<string, unknown>>[];
  /** Users who have to accept the terms first. */
  readonly required: Set<string>;
  /** Status of responses; other than 200: it fails. */
  status: number;
}

/** Starts it on a free port of 127.0.0.1. */
export async function startTermsServer(): Promise<TermsServer> {
  const asked: Readonly<Record<string, unknown>>[] = [];
  const required = new Set<string>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const question = JSON.parse(Buffer.concat(chunks).toString()) as Readonly<Record<string, unknown>>;
      asked.push(question);
      response.writeHead(terms.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ terms_required: required.has(String(question['account_username'])) }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const terms: TermsServer = {
    url: `http://127.0.0.1:${port}/terms_review`,
    asked,
    required,
    status: 200,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return terms;
}
