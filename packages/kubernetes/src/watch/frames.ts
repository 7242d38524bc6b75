import type { KubeObject } from '@chandlery/api';
import type { WatchItem } from '@chandlery/kernel';
import type { ResourceCall } from '../call.ts';
import type { Negotiated } from '../negotiate.ts';
import { includeObjectOf } from '../representation-options.ts';
import type { Status } from '../status.ts';
import { toPartialMetadata } from '../table/partial-metadata.ts';
import { renderTable } from '../table/table.ts';

/** Turns events into lines. */
export interface FrameWriter {
  frame(item: WatchItem): Buffer;
  error(status: Status): Buffer;
}

/** The writer for a watch in the given representation. JSON lines are made once and shared by all watchers. */
export function frameWriter(call: ResourceCall, { as, version }: Negotiated): FrameWriter {
  const { version: own, kind } = call.target.resource;
  const envelope = (object: KubeObject, isFirst: boolean): object => {
    if (as === 'partialMetadata') return toPartialMetadata(object, version);
    return renderTable({
      version: own,
      items: [object],
      includeObject: includeObjectOf(call.query),
      now: new Date(),
      withDefinitions: isFirst,
      tableVersion: version,
    });
  };
  const isPlain = as !== 'table' && as !== 'partialMetadata';
  let isFirst = true;
  return {
    frame(item) {
      if (item.type === 'BOOKMARK') return bookmarkFrame(call, item, as === 'table' ? version : undefined);
      const { type, served, source } = item;
      if (!isPlain) {
        const object = envelope(served.object, isFirst);
        isFirst = false;
        return line({ type, object });
      }
      const make = (): Buffer => Buffer.concat([opening[type], served.bytes, closing]);
      return source === undefined ? make() : source.rendering(`${type} ${kind.resource} ${own.name}`, make);
    },
    error: status => line({ type: 'ERROR', object: status }),
  };
}

const opening = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
} as const;
const closing = Buffer.from('}\n');

const line = (content: object): Buffer => Buffer.from(`${JSON.stringify(content)}\n`);

function bookmarkFrame(
  { target: { resource } }: ResourceCall,
  { revision, isInitialEnd }: { revision: number; isInitialEnd: boolean },
  tableVersion: string | undefined,
): Buffer {
  const annotations = isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const metadata = { resourceVersion: String(revision), ...annotations };
  const object =
    tableVersion === undefined
      ? {
          kind: resource.kind.kind,
          apiVersion: resource.version.apiVersion,
          metadata: { creationTimestamp: null, ...metadata },
        }
      : { kind: 'Table', apiVersion: `meta.k8s.io/${tableVersion}`, metadata, columnDefinitions: [], rows: [] };
  return line({ type: 'BOOKMARK', object });
}
