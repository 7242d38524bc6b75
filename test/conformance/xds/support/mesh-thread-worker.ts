import { parentPort } from 'node:worker_threads';
import { Client, credentials, ServerCredentials, type sendUnaryData } from '@grpc/grpc-js';
import { register, XdsChannelCredentials, XdsServer, XdsServerCredentials } from '@grpc/grpc-js-xds';
import type { Tally, ThreadTask } from './mesh-thread.ts';
import { whoPath, whoService } from './who-service.ts';

// The gRPC library as a workload of the mesh, see `startMeshThread`.

const patienceMs = 20_000;
const atOnce = 20;

const clients = new Map<string, Client>();

/** The dialled name is sent as the authority, where HTTP/2 allows no slash: then another one is set. */
function clientOf(target: string): Client {
  const secure = new XdsChannelCredentials(credentials.createInsecure());
  const options = new URL(target).pathname.slice(1).includes('/') ? { 'grpc.default_authority': 'mesh' } : {};
  const known = clients.get(target) ?? new Client(target, secure, options);
  clients.set(target, known);
  return known;
}

const callOnce = (client: Client): Promise<string> =>
  new Promise(resolve => {
    const asIs = (bytes: Buffer): Buffer => bytes;
    const deadline = Date.now() + patienceMs;
    client.makeUnaryRequest(whoPath, asIs, asIs, Buffer.alloc(0), { deadline }, (error, answer) =>
      resolve(error ? `code ${error.code} ${error.details}` : String(answer)),
    );
  });

async function call(target: string, times: number): Promise<Tally> {
  const tally: Record<string, number> = {};
  for (let done = 0; done < times; done += atOnce) {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => callOnce(clientOf(target))));
    for (const answer of answers) tally[answer] = (tally[answer] ?? 0) + 1;
  }
  return tally;
}

function serve(address: string): Promise<Tally> {
  const server = new XdsServer();
  const answer = (_: unknown, reply: sendUnaryData<Buffer>): void => reply(null, Buffer.from(address));
  server.addService(whoService, { who: answer, other: answer });
  return new Promise((resolve, reject) => {
    server.bindAsync(address, new XdsServerCredentials(ServerCredentials.createInsecure()), error =>
      error ? reject(error) : resolve({}),
    );
  });
}

register();
parentPort?.on('message', (task: ThreadTask) => {
  const done = 'serve' in task ? serve(task.serve) : call(task.call, task.times);
  void done.then(tally => parentPort?.postMessage(tally));
});
