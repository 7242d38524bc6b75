// A broker that costs as little as Node allows, so that it is the ways to it that are measured. It keeps nothing: every
// provision and bind is a new one, every poll finds the work going on.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultCatalog } from '../../domains/brokers/src/test-broker/default-catalog.ts';
import { brokerLogin, operationName, plans } from './workload.ts';

const authorization = `Basic ${Buffer.from(`${brokerLogin.username}:${brokerLogin.password}`).toString('base64')}`;
const catalog = Buffer.from(JSON.stringify(defaultCatalog()));
const going = Buffer.from(JSON.stringify({ state: 'in progress', description: 'still at it' }));
const accepted = Buffer.from(JSON.stringify({ operation: operationName }));
const made = Buffer.from(JSON.stringify({ dashboard_url: 'https://dashboard.example/instances/one' }));
const bound = Buffer.from(
  JSON.stringify({ credentials: { uri: 'postgres://reader:secret@db.example:5432/shop', username: 'reader' } }),
);
const rejection = Buffer.from(JSON.stringify({ description: 'not by the book' }));

function send(response: ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

function answer({ method, url = '', headers }: IncomingMessage, response: ServerResponse, body: Buffer): void {
  if (headers.authorization !== authorization) return send(response, 401, rejection);
  if (!headers['x-broker-api-version']?.includes('2.')) return send(response, 412, rejection);
  if (method === 'GET') return send(response, 200, url === '/v2/catalog' ? catalog : going);
  if (url.includes('/service_bindings/')) return send(response, 201, bound);
  return body.includes(plans.slow) ? send(response, 202, accepted) : send(response, 201, made);
}

const nothing = Buffer.alloc(0);
const server = createServer((request, response) => {
  if (request.method === 'GET') return answer(request, response, nothing);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(request, response, Buffer.concat(chunks)));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
