import type { HttpHost, HttpReply } from '@chandlery/http';
import type { ServiceCatalog } from '../catalog/service-catalog.ts';
import type { Unsubscribe } from '../ports.ts';

/** Clients read a mesh again when it has changed: more often than this helps no one. */
const minIntervalMs = 250;
/** Then the client connects again, and its rights are checked again. */
const maxStreamMs = 5 * 60_000;

/** The part of a catalog that says when it changes. */
interface Changes extends Pick<ServiceCatalog, 'changeVersion' | 'closed'> {
  readonly announcements: { subscribe(listener: () => void): Unsubscribe };
}

/** The version of what is known of a mesh, as the metadata of a list has it. */
export const showVersion = ({ changeVersion }: Pick<Changes, 'changeVersion'>): object => ({
  metadata: { resourceVersion: changeVersion },
});

/**
 * Sends a line, as a watch of the Kubernetes API does, whenever services, endpoints or policies of a mesh have changed;
 * the first one at once when they have changed since a version.
 */
export function streamChanges(
  host: Pick<HttpHost, 'openStream'>,
  reply: HttpReply,
  catalog: Changes,
  since: string | undefined,
): void {
  let waiting: NodeJS.Timeout | undefined;
  const stops: (() => void)[] = [];
  const stream = host.openStream(reply, {
    headers: { 'content-type': 'application/json' },
    onClose: () => {
      clearTimeout(waiting);
      for (const stop of stops) stop();
    },
  });
  const send = (): void => {
    waiting = undefined;
    stream.write(Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object: showVersion(catalog) })}\n`));
  };
  const end = (): void => stream.end();
  const life = setTimeout(end, maxStreamMs);
  catalog.closed.addEventListener('abort', end, { once: true });
  stops.push(
    () => clearTimeout(life),
    () => catalog.closed.removeEventListener('abort', end),
    catalog.announcements.subscribe(() => {
      waiting ??= setTimeout(send, minIntervalMs);
    }),
  );
  if (since !== catalog.changeVersion) send();
  if (catalog.closed.aborted) end();
}
