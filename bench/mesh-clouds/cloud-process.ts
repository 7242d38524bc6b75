// A cloud with many projects in a process of its own: the aggregated list of instances as Compute Engine sends it, and a
// subscription of Pub/Sub for each project.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudChange, CloudCounts, CloudReady, CloudServed } from './cloud-messages.ts';

const [projects = 1, machines = 1, services = 1] = process.argv.slice(2).map(Number);
const zone = 'europe-west1-b';
const pullWaitMs = 20_000;

interface Project {
  stopped: ReadonlySet<number>;
  body: string;
  /** The next response is the first with a change. */
  isChanged: boolean;
  /** Messages that were not received yet. */
  messages: string[];
  /** A pull that waits for messages. */
  pull: ServerResponse | undefined;
}

const bodyOf = (project: number, stopped: ReadonlySet<number>): string => {
  const instances = Array.from({ length: machines }, (_, no) => ({
    name: `vm-${no}`,
    selfLink: `https://www.googleapis.com/compute/v1/projects/bench-${project}/zones/${zone}/instances/vm-${no}`,
    status: stopped.has(no) ? 'TERMINATED' : 'RUNNING',
    labels: { app: `service-${no % services}` },
    networkInterfaces: [{ networkIP: `10.${project}.${no >> 8}.${no & 255}` }],
  }));
  return JSON.stringify({ items: { [`zones/${zone}`]: { instances } } });
};

const all = Array.from(
  { length: projects },
  (_, no): Project => ({
    ...{ stopped: new Set(), body: bodyOf(no, new Set()), isChanged: false, messages: [], pull: undefined },
  }),
);
const counts = { requests: 0, bytes: 0, eventRequests: 0 };

const send = (message: CloudReady | CloudServed | CloudCounts): void => void process.send?.(message);

const server = createServer((request, response) => {
  request.resume();
  const [, number, path = ''] = /\/projects\/bench-(\d+)\/(.+)$/.exec(request.url ?? '') ?? [];
  const project = number === undefined ? undefined : all[Number(number)];
  response.setHeader('content-type', 'application/json');
  if (project === undefined) return void response.end('{"access_token":"t","expires_in":3599}');
  if (path.startsWith('subscriptions/')) return answerQueue(project, path, response);
  counts.requests += 1;
  counts.bytes += Buffer.byteLength(project.body);
  response.end(project.body);
  if (project.isChanged) send({ type: 'served', atMs: Date.now() });
  project.isChanged = false;
});

function answerQueue(project: Project, path: string, response: ServerResponse): void {
  counts.eventRequests += 1;
  if (!path.endsWith(':pull')) return void response.end('{}');
  project.pull = response;
  const timer = setTimeout(() => deliver(project), pullWaitMs);
  response.once('close', () => clearTimeout(timer));
  if (project.messages.length > 0) deliver(project);
}

function deliver(project: Project): void {
  const receivedMessages = project.messages.splice(0).map(data => ({ ackId: 'a', message: { data } }));
  project.pull?.end(JSON.stringify(receivedMessages.length === 0 ? {} : { receivedMessages }));
  project.pull = undefined;
}

const eventOf = (project: number, machine: number): string => {
  const name = `//compute.googleapis.com/projects/bench-${project}/zones/${zone}/instances/vm-${machine}`;
  const asset = { assetType: 'compute.googleapis.com/Instance', name };
  return Buffer.from(JSON.stringify({ asset })).toString('base64');
};

process.on('message', (message: CloudChange | 'count') => {
  if (message === 'count') return send({ type: 'counts', ...counts });
  const { project: no, stopped, hasEvent } = message;
  const project = all[no];
  if (project === undefined) return;
  project.stopped = new Set(stopped);
  project.body = bodyOf(no, project.stopped);
  project.isChanged = true;
  if (!hasEvent) return;
  project.messages.push(eventOf(no, stopped[0] ?? 0));
  if (project.pull !== undefined) deliver(project);
});
process.on('disconnect', () => process.exit());

await once(server.listen(0, '127.0.0.1'), 'listening');
send({ type: 'ready', port: (server.address() as AddressInfo).port });
