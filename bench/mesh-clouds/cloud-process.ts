// A cloud with many projects in a process of its own: the aggregated list of instances as Compute Engine sends it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudChange, CloudReady, CloudServed } from './cloud-messages.ts';

const [projects = 1, machines = 1, services = 1] = process.argv.slice(2).map(Number);
const zone = 'europe-west1-b';

interface Project {
  stopped: ReadonlySet<number>;
  body: string;
  /** The next response is the first with a change. */
  isChanged: boolean;
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
  (_, no): Project => ({ stopped: new Set(), body: bodyOf(no, new Set()), isChanged: false }),
);

const send = (message: CloudReady | CloudServed): void => void process.send?.(message);

const server = createServer((request, response) => {
  request.resume();
  const [, number] = /\/projects\/bench-(\d+)\/aggregated\//.exec(request.url ?? '') ?? [];
  const project = number === undefined ? undefined : all[Number(number)];
  response.setHeader('content-type', 'application/json');
  if (project === undefined) return void response.end('{"access_token":"t","expires_in":3599}');
  response.end(project.body);
  if (project.isChanged) send({ type: 'served', atMs: Date.now() });
  project.isChanged = false;
});

process.on('message', ({ project: no, stopped }: CloudChange) => {
  const project = all[no];
  if (project === undefined) return;
  project.stopped = new Set(stopped);
  project.body = bodyOf(no, project.stopped);
  project.isChanged = true;
});
process.on('disconnect', () => process.exit());

await once(server.listen(0, '127.0.0.1'), 'listening');
send({ type: 'ready', port: (server.address() as AddressInfo).port });
