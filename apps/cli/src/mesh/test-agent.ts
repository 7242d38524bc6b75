import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createClient } from '@chandlery/client';
import type { AgentOptions, AgentState } from './mesh-agent.ts';
import { MeshClient } from './mesh-client.ts';
import { runAgent } from './run-agent.ts';
import type { TestMeshServer } from './test-mesh-server.ts';

/** A started agent of `shop/web`, in this process. */
export interface TestAgent extends AsyncDisposable {
  /** The lines that it printed. */
  readonly lines: readonly string[];
  /** Rejects when it ends before it is ready. */
  readonly ready: Promise<AgentState>;
}

/** Starts without waiting. It connects to the port that the landscape reports. */
export function beginAgent(
  mesh: Pick<TestMeshServer, 'url' | 'folder'>,
  options: Partial<AgentOptions> = {},
): TestAgent {
  const stop = new AbortController();
  const client = new MeshClient(createClient({ server: mesh.url }));
  const { promise: ready, resolve, reject } = Promise.withResolvers<AgentState>();
  const lines: string[] = [];
  const ended = runAgent(
    {
      mesh: client,
      account: { cluster: 'eu-1', namespace: 'shop', name: 'web' },
      folder: mesh.folder.join('certificate'),
      listen: { host: '127.0.0.1', port: 0 },
      xds: (told = 1) => ({ host: '127.0.0.1', port: told }),
      renewEveryMs: 60_000,
      tell: line => void lines.push(line),
      onReady: resolve,
      ...options,
    },
    stop.signal,
  );
  ended.catch(reject);
  ready.catch(() => undefined);
  return {
    lines,
    ready,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended.catch(() => undefined);
      await client[Symbol.asyncDispose]();
    },
  };
}

/** Starts and waits until it is ready. */
export async function startAgent(
  mesh: TestMeshServer,
  options: Partial<AgentOptions> = {},
): Promise<TestAgent & { readonly port: number }> {
  const agent = beginAgent(mesh, options);
  try {
    const { listen } = await agent.ready;
    return { ...agent, port: listen !== undefined && 'port' in listen ? listen.port : 0 };
  } catch (error) {
    await agent[Symbol.asyncDispose]();
    throw error;
  }
}

/** The first bytes of the control plane. Rejects when the connection closes before. */
export async function firstWords(socket: Socket): Promise<string> {
  const closed = once(socket, 'close').then(() => Promise.reject(new Error('cut off')));
  const [words] = (await Promise.race([once(socket, 'data'), closed])) as [Buffer];
  return words.toString();
}

/** The first bytes of the control plane to a client of an agent. */
export async function askThrough(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  try {
    return await firstWords(socket);
  } finally {
    socket.destroy();
  }
}
