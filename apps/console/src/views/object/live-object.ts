import { formatFieldSelector, type KubeObject } from '@chandlery/api';
import { useEffect, useState } from 'react';
import { ApiFailure } from '../../api/api-failure.ts';
import { follow } from '../../api/follow.ts';
import { collectionPath, type ObjectName, type ServedKind } from '../../api/kinds.ts';
import { requestJson } from '../../api/request.ts';

/** An object that follows its own changes. */
export interface LiveObject {
  /** The last state; kept when the object was deleted. */
  readonly object?: KubeObject;
  readonly isDeleted?: boolean;
  readonly error?: unknown;
}

interface ObjectList {
  readonly items: readonly KubeObject[];
  readonly metadata: { readonly resourceVersion: string };
}

/** Items of lists do not name their type. */
const typeOf = ({ group, version, kind }: ServedKind) => ({
  apiVersion: group === '' ? version : `${group}/${version}`,
  kind,
});

/** Reads an object and watches it. */
export function useLiveObject(cluster: string, kind: ServedKind, { namespace = '', name }: ObjectName): LiveObject {
  const [state, setState] = useState<LiveObject>({});
  useEffect(() => {
    const stop = new AbortController();
    setState({});
    const path = collectionPath(cluster, kind, namespace);
    const fieldSelector = formatFieldSelector({
      requirements: [{ path: 'metadata.name', operator: '=', value: name }],
    });
    const query = { fieldSelector };
    void follow<KubeObject>({
      path,
      query,
      signal: stop.signal,
      load: async () => {
        // A list, because the revision of an object may be too old to watch from.
        const { items, metadata } = await requestJson<ObjectList>(path, { query, signal: stop.signal });
        const [object] = items;
        if (object === undefined) throw new ApiFailure(404, 'NotFound', `There is no ${kind.kind} "${name}"`);
        setState({ object: { ...typeOf(kind), ...object } });
        return metadata.resourceVersion;
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
