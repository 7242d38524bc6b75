import { Client, credentials } from '@grpc/grpc-js';
import { register, XdsChannelCredentials } from '@grpc/grpc-js-xds';
import { getCatalog } from './catalog-service.ts';
import { joinMesh, meshEnvironment } from './join-mesh.ts';
import type { ShopperCall } from './shopper.ts';

// A client that calls continuously and prints the result of each call, one line of JSON each.

const pauseMs = 20;
const patienceMs = 10_000;

const { SHOPPER_FOLDER = '', SHOPPER_TARGET = '', SHOPPER_AUTHORITY = '' } = process.env;
await joinMesh(meshEnvironment(), SHOPPER_FOLDER);
register();
// The library would use the dialled name as the server name, where a slash is not allowed.
const options = { 'grpc.default_authority': SHOPPER_AUTHORITY };
const client = new Client(SHOPPER_TARGET, new XdsChannelCredentials(credentials.createInsecure()), options);

function call(): void {
  const begun = Date.now();
  const { path, requestSerialize, responseDeserialize } = getCatalog;
  const deadline = begun + patienceMs;
  client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, { deadline }, (error, answer) => {
    const outcome = error ? { code: error.code, why: error.details } : { code: 0, ...answer };
    const line: ShopperCall = { begun, ended: Date.now(), ...outcome };
    console.log(JSON.stringify(line));
  });
}

client.waitForReady(Date.now() + 60_000, error => {
  if (error) throw error;
  setInterval(call, pauseMs);
});
