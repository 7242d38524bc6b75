import { Agent, fetch } from 'undici';
import type { Caller, MeshLandscape } from './mesh-landscape.ts';

/** A response of the discovery server over REST. */
export interface FetchedAnswer {
  readonly status: number;
  /** Empty without a body. */
  readonly text: string;
  readonly body: { readonly version_info?: string; readonly resources?: readonly Readonly<Record<string, unknown>>[] };
}

/**
 * Sends a request to the discovery server over REST. `path` begins with `/`; a body other than a string is sent as
 * JSON.
 */
export async function fetchResources(
  mesh: MeshLandscape,
  caller: Caller,
  { path, body }: { readonly path: string; readonly body: unknown },
): Promise<FetchedAnswer> {
  const dispatcher = new Agent({ connect: await mesh.certificate(caller), allowH2: false });
  try {
    const url = `https://127.0.0.1:${mesh.landscape.xdsPort}${path}`;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: text, dispatcher });
    const answered = await answer.text();
    const parsed = (answered === '' ? {} : JSON.parse(answered)) as FetchedAnswer['body'];
    return { status: answer.status, text: answered, body: parsed };
  } finally {
    await dispatcher.destroy();
  }
}
