// A gRPC server of the mesh: who may call which method is not decided here.
import { ServerCredentials } from '@grpc/grpc-js';
import { register, XdsServer, XdsServerCredentials } from '@grpc/grpc-js-xds';

register();
const bytes = value => Buffer.from(value);
const method = path => ({
  path,
  requestStream: false,
  responseStream: false,
  requestSerialize: bytes,
  requestDeserialize: bytes,
  responseSerialize: bytes,
  responseDeserialize: bytes,
});
const server = new XdsServer();
server.addService(
  { Get: method('/shop.Books/GetBook'), Delete: method('/shop.Books/DeleteBook') },
  { Get: (_, answer) => answer(null, bytes('a book')), Delete: (_, answer) => answer(null, bytes('gone')) },
);
const credentials = new XdsServerCredentials(ServerCredentials.createInsecure());
server.bindAsync('127.0.0.1:50051', credentials, error => console.log(error ?? 'serving'));
