import type { KubeObject } from '@chandlery/api';
import { useEffect, useState } from 'react';
import { follow } from '../../api/follow.ts';
import { collectionPath, type ObjectName, objectPath, type ServedKind } from '../../api/kinds.ts';
import { requestJson } from '../../api/request.ts';

/** An object that follows its own changes. */
export interface LiveObject {
  /** The last state; kept when the object was deleted. */
  readonly object?: KubeObject;
  readonly isDeleted?: boolean;
  readonly error?: unknown;
}

/** Reads an object and watches it. */
export function useLiveObject(cluster: string, kind: ServedKind, { namespace = '', name }: ObjectName): LiveObject {
  const [state, setState] = useState<LiveObject>({});
  useEffect(() => {
    const stop = new AbortController();
    setState({});
    void follow<KubeObject>({
      path: collectionPath(cluster, kind, namespace),
      query: { fieldSelector: `metadata.name=${name}` },
      signal: stop.signal,
      load: async () => {
        const object = await requestJson<KubeObject>(objectPath(cluster, kind, { namespace, name }), {
          signal: stop.signal,
        });
        setState({ object });
        return object.metadata.resourceVersion ?? '';
      },
      onEvents: events => {
        const last = events.at(-1);
        if (last !== undefined) setState({ object: last.object, isDeleted: last.type === 'DELETED' });
      },
      onFailure: error => setState(before => ({ ...before, error })),
    });
    return () => stop.abort();
  }, [cluster, kind.group, kind.version, kind.plural, namespace, name]);
  return state;
}
