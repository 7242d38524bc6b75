import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TempFolder, tempFolder } from '@chandlery/testing';
import { type Ran, runCli } from '../test-cli.ts';

/** A request as the scripted landscape got it. */
export interface ScriptedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly authorization: string;
  readonly body: Record<string, unknown>;
}

/** A scripted response. Default status 200. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly body: unknown;
}

/** Returns the response to a request; undefined: 404. */
export type Script = (request: ScriptedRequest) => ScriptedAnswer | undefined;

/** A landscape with scripted responses, and the command line beside it. */
export interface TestMeshServer extends AsyncDisposable {
  readonly url: string;
  readonly folder: TempFolder;
  /** All so far. */
  readonly requests: readonly ScriptedRequest[];
  run(...args: string[]): Promise<Ran>;
  runWith(env: Record<string, string>, ...args: string[]): Promise<Ran>;
}

/** Starts it, with a kubeconfig for the command line. */
export async function startTestMeshServer(script: Script): Promise<TestMeshServer> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then(request => {
      requests.push(request);
      const missing = { status: 404, body: { code: 'NotFound', message: `nothing at ${request.path}` } };
      const { status = 200, body } = script(request) ?? missing;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await tempFolder();
  await mkdir(folder.join('.chandlery'));
  await writeFile(folder.join('.chandlery/admin.kubeconfig'), JSON.stringify(kubeconfigFor(url)));
  const runWith: TestMeshServer['runWith'] = (env, ...args) => runCli(args, { cwd: folder.path, env });
  return {
    url,
    folder,
    requests,
    runWith,
    run: (...args) => runWith({}, ...args),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const kubeconfigFor = (url: string) => ({
  'current-context': 'onboarding',
  contexts: [{ name: 'onboarding', context: { cluster: 'onboarding', user: 'admin' } }],
  clusters: [{ name: 'onboarding', cluster: { server: `${url}/clusters/onboarding` } }],
  users: [{ name: 'admin', user: { token: 'admin-token' } }],
});

async function readRequest(incoming: IncomingMessage): Promise<ScriptedRequest> {
  const { method = '', url: path = '', headers } = incoming;
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString();
  const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { method, path, authorization: headers.authorization ?? '', body };
}
