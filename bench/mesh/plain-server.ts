import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import type { TestMeshAuthority } from '../../domains/mesh/src/server/test-mesh-authority.ts';
import { aggregatedMethods } from './subject.ts';

/** A call with undecoded messages. */
export type PlainCall = ServerDuplexStream<Buffer, Buffer>;

const asItIs = (message: Buffer): Buffer => message;

/**
 * Opens a server of the gRPC library, for clients with certificates and streams of the state of the world. Resolves
 * with its port.
 */
export async function openPlainServer(authority: TestMeshAuthority, serve: (call: PlainCall) => void): Promise<number> {
  const server = new Server({
    'grpc.enable_channelz': 0,
    'grpc.max_concurrent_streams': 100_000,
    'grpc.max_send_message_length': -1,
  });
  server.register(aggregatedMethods.sotw, serve, asItIs, asItIs, 'bidi');
  const { chain, privateKey } = authority.serverCertificate(['127.0.0.1']);
  const pair = { cert_chain: Buffer.from(chain), private_key: Buffer.from(privateKey) };
  const credentials = ServerCredentials.createSsl(Buffer.from(authority.trustBundle), [pair], true);
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, port) => (error ? reject(error) : resolve(port)));
  });
}
