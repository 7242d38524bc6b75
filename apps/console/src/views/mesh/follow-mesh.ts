import { type DependencyList, useEffect, useState } from 'react';
import { follow } from '../../api/follow.ts';
import { requestJson } from '../../api/request.ts';

/** What a view knows of a mesh. */
export interface FollowedMesh<T> {
  /** The last value; kept while it is read again. */
  readonly value?: T;
  readonly error?: unknown;
}

interface Version {
  readonly metadata: { readonly resourceVersion: string };
}

const minReloadMs = 500;
/** A mesh is read again at most for this share of the time, however long reading it takes. */
const reloadShare = 0.1;

/** Reads something of a mesh, and again when its services, endpoints or policies have changed. */
export function useFollowedMesh<T>(
  mesh: string,
  read: (signal: AbortSignal) => Promise<T>,
  dependencies: DependencyList,
): FollowedMesh<T> {
  const [state, setState] = useState<FollowedMesh<T>>({});
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const path = `/mesh/v1/meshes/${encodeURIComponent(mesh)}/changes`;
    let waiting: ReturnType<typeof setTimeout> | undefined;
    let readMs = 0;
    const load = async (): Promise<void> => {
      const start = performance.now();
      const value = await read(signal);
      readMs = performance.now() - start;
      if (!signal.aborted) setState({ value });
    };
    const fail = (error: unknown): void => {
      if (!signal.aborted) setState(before => ({ ...before, error }));
    };
    const reloadSoon = (): void => {
      waiting ??= setTimeout(
        () => {
          waiting = undefined;
          load().catch(fail);
        },
        Math.max(minReloadMs, readMs / reloadShare),
      );
    };
    setState({});
    void follow<Version>({
      path,
      signal,
      load: async () => {
        // The version before what is read: what changes meanwhile is sent when the watch begins.
        const { metadata } = await requestJson<Version>(path, { signal });
        await load();
        return metadata.resourceVersion;
      },
      onEvents: reloadSoon,
      onFailure: fail,
    });
    return () => {
      stop.abort();
      clearTimeout(waiting);
    };
  }, [mesh, ...dependencies]);
  return state;
}
