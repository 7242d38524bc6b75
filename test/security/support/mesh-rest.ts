import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TestTls } from '../../../domains/mesh/src/test-xds-client/test-connect-xds.ts';

/** Sends a request to the discovery server over HTTP. */
export async function askRest(
  port: number,
  tls: TestTls,
  { path, body }: { readonly path: string; readonly body: object },
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const call = request({
    host: '127.0.0.1',
    port,
    ...tls,
    servername: 'localhost',
    path,
    method: 'POST',
    agent: false,
  });
  const answered = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    call.on('error', reject);
    call.on('response', response => {
      text(response).then(read => resolve({ status: response.statusCode, text: read }), reject);
    });
  });
  call.end(JSON.stringify(body));
  return answered;
}
