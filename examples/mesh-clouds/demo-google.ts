import {
  startTestGoogleServer,
  testKey,
  testProject,
} from '../../domains/mesh/src/endpoints/clouds/google/test-google-server.ts';
import { startTestHttpServer, type TestRequest } from '../../domains/mesh/src/endpoints/clouds/test-http-server.ts';
import { createTestIssuer } from '../../domains/mesh/src/joins/test-documents.ts';
import { type DemoCloud, DemoMachines } from './demo-cloud.ts';

const zone = 'europe-west1-b';

/** The API of machines, and the issuer of identity tokens, at one address. `addressOf`: where others reach it. */
export async function startDemoGoogle(addressOf: () => string): Promise<DemoCloud> {
  const api = await startTestGoogleServer();
  const issuer = createTestIssuer();
  const forward = async ({ method, url, headers, body }: TestRequest) => {
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const sent = method === 'GET' ? {} : { body };
    const target = new URL(`${url.pathname}${url.search}`, api.url);
    const response = await fetch(target, { method, headers: { authorization, 'content-type': type }, ...sent });
    return { status: response.status, body: await response.json() };
  };
  const server = await startTestHttpServer(async request => issuer.respond(request) ?? forward(request));
  const machines = new DemoMachines('10.2.0');
  return {
    url: server.url,
    secret: { name: 'google-key', entries: testKey },
    settings: {},
    set: async (name, state) => {
      machines.set(name, state);
      api.setMachines('books', machines.list(zone));
    },
    notify: async name => {
      const resource = `//compute.googleapis.com/projects/${testProject}/zones/${zone}/instances/${name}`;
      const asset = { assetType: 'compute.googleapis.com/Instance', name: resource };
      api.queue.send(Buffer.from(JSON.stringify({ asset })).toString('base64'));
    },
    readMetadata: async ({ url }) =>
      url.pathname.startsWith('/computeMetadata/')
        ? issuer.token({ issuer: addressOf(), audience: url.searchParams.get('audience') ?? '' })
        : undefined,
  };
}
