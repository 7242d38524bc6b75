import { Server, ServerCredentials, type sendUnaryData } from '@grpc/grpc-js';
import type { MeshLandscape } from './mesh-landscape.ts';
import { whoService } from './who-service.ts';

/** Small gRPC servers of one account, on one port of several loopback addresses. */
export interface SecureServers extends Disposable {
  readonly port: number;
}

/** Each responds with the given name. They require certificates of the mesh. */
export async function startSecureServers(
  mesh: MeshLandscape,
  account: string,
  nameByIp: Readonly<Record<string, string>>,
): Promise<SecureServers> {
  const { ca, cert, key } = await mesh.certificate({ account });
  const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
  const secure = ServerCredentials.createSsl(Buffer.from(ca), [pair], true);
  const servers: Server[] = [];
  let port = 0;
  for (const [ip, name] of Object.entries(nameByIp)) {
    const server = new Server();
    const answer = (_: unknown, reply: sendUnaryData<Buffer>): void => reply(null, Buffer.from(name));
    server.addService(whoService, { who: answer, other: answer });
    port = await bind(server, `${ip}:${port}`, secure);
    servers.push(server);
  }
  return {
    port,
    [Symbol.dispose]: () => {
      for (const server of servers) server.forceShutdown();
    },
  };
}

const bind = (server: Server, address: string, secure: ServerCredentials): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(address, secure, (error, port) => (error ? reject(error) : resolve(port)));
  });
