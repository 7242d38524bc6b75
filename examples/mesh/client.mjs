// A client that finds the server by its name in the mesh, and tries a method that is allowed and one that is not.
import { Client, credentials } from '@grpc/grpc-js';
import { register, XdsChannelCredentials } from '@grpc/grpc-js-xds';

register();
const bytes = value => Buffer.from(value);
const client = new Client('xds:///books.shop', new XdsChannelCredentials(credentials.createInsecure()));
const call = path =>
  new Promise(done =>
    client.makeUnaryRequest(path, bytes, bytes, bytes(''), (error, answer) => done(error?.message ?? String(answer))),
  );
for (const path of ['/shop.Books/GetBook', '/shop.Books/DeleteBook']) console.log(await call(path));
process.exit(); // the library would keep its stream to the control plane open
