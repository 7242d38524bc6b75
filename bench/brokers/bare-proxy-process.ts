// A reverse proxy as short as one can be in Node: undici's pool in front of a broker, and no logic. `argv[2]`: its URL,
// `argv[3]`: how many connections.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';

const pool = new Pool(process.argv[2] ?? '', { connections: Number(process.argv[3]) });

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await pool.request({
    method: request.method as Dispatcher.HttpMethod,
    path: request.url ?? '/',
    headers: request.rawHeaders,
    body: request.method === 'GET' ? null : request,
  });
  response.writeHead(answer.statusCode, answer.headers);
  answer.body.pipe(response);
}

const server = createServer((request, response) => void forward(request, response).catch(() => response.destroy()));
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
