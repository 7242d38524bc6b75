import { createServer } from 'node:http';
import { join } from 'node:path';
import { ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { register, XdsServer, XdsServerCredentials } from '@grpc/grpc-js-xds';
import { type CatalogAnswer, catalogService } from './catalog-service.ts';
import { joinMesh, meshEnvironment } from './join-mesh.ts';

// A backend of the shop, as it runs in a pod: a gRPC server with the access rules of the mesh. Its health port reports
// whether it serves, and it completes its requests when it is asked to stop.

/** A realistic response time, so that calls are in flight at any moment. */
const answerMs = 15;

function answer(call: ServerUnaryCall<object, CatalogAnswer>, reply: sendUnaryData<CatalogAnswer>): void {
  const caller = call.getAuthContext()?.sslPeerCertificate?.subjectaltname ?? '';
  const { MESH_NODE_ID: pod, MESH_CLUSTER: cluster } = env;
  setTimeout(() => reply(null, { pod, cluster, pid: process.pid, port, caller }), answerMs);
}

const env = meshEnvironment();
const { PORT_GRPC = '', PORT_HEALTH = '', HOME = '.' } = process.env;
const port = Number(PORT_GRPC);
await joinMesh(env, join(HOME, 'certificates'));

let isServing = false;
const health = createServer((_, response) => response.writeHead(isServing ? 200 : 503).end());
health.listen(Number(PORT_HEALTH), '127.0.0.1');

register();
const server = new XdsServer();
server.addService(catalogService, { get: answer });
server.bindAsync(`127.0.0.1:${port}`, new XdsServerCredentials(ServerCredentials.createInsecure()), error => {
  isServing = error === null;
});

process.once('SIGTERM', () => server.tryShutdown(() => process.exit(0)));
