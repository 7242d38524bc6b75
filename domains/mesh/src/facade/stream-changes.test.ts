import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpHost, silentLogger } from '@chandlery/http';
import { eventually } from '@chandlery/testing';
import { streamChanges } from './stream-changes.ts';

/** A catalog that changes when the test says so. */
function changingCatalog() {
  const listeners = new Set<() => void>();
  const closed = new AbortController();
  const state = { version: 0 };
  return {
    catalog: {
      get changeVersion() {
        return `a-${state.version}`;
      },
      announcements: {
        subscribe: (listener: () => void) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      },
      closed: closed.signal,
    },
    listeners,
    change: () => {
      state.version += 1;
      for (const listener of listeners) listener();
    },
    close: () => closed.abort(),
  };
}

/** Serves the changes of a catalog, and reads them line by line. */
async function startStream(changing: ReturnType<typeof changingCatalog>) {
  const host = createHttpHost({ logger: silentLogger, readiness: async () => [] });
  host.app.route({
    method: 'GET',
    url: '/changes',
    handler: (request, reply) => {
      const { since } = request.query as { readonly since?: string };
      streamChanges(host, reply, changing.catalog, since);
      return reply;
    },
  });
  const { port } = await host.listenPlain({ port: 0 });
  const open = async (since: string) => {
    const stop = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/changes?since=${since}`, { signal: stop.signal });
    const versions: string[] = [];
    const ended = (async () => {
      const decoder = new TextDecoderStream();
      for await (const text of response.body?.pipeThrough(decoder) ?? [])
        for (const line of text.split('\n').filter(each => each !== ''))
          versions.push((JSON.parse(line) as Line).object.metadata.resourceVersion);
    })().catch(() => undefined);
    return { versions, ended, abort: () => stop.abort() };
  };
  return { open, [Symbol.asyncDispose]: () => host.close({ graceMs: 0 }) };
}

interface Line {
  readonly object: { readonly metadata: { readonly resourceVersion: string } };
}

test('a client gets a line for what has changed since its version, and then for later changes', async () => {
  const changing = changingCatalog();
  await using server = await startStream(changing);
  const old = await server.open('another-7');
  await eventually(() => old.versions.length === 1, { what: 'the first line' });
  const current = await server.open('a-0');
  changing.change();
  changing.change();
  await eventually(() => current.versions.length === 1 && old.versions.length === 2, { what: 'the next line' });
  assert.deepEqual([old.versions, current.versions], [['a-0', 'a-2'], ['a-2']], 'several changes are one line');
  old.abort();
  await eventually(() => changing.listeners.size === 1, {
    what: 'the listener of the client that has left to be removed',
  });
  changing.close();
  await current.ended;
  assert.equal(changing.listeners.size, 0);
});
