import type { KubeObject } from '@chandlery/api';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { objectPath } from '../../api/kinds.ts';
import { request } from '../../api/request.ts';
import { linesOf } from '../../api/watch.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState, FailureNotice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';

interface PodSpec {
  readonly initContainers?: readonly { readonly name: string }[];
  readonly containers?: readonly { readonly name: string }[];
}

/** Older lines are dropped: a browser is no archive. */
const maxLines = 20_000;
const tailLines = 1000;
const showEveryMs = 250;
const lineHeightPx = 20;

/** The log of a container, followed. */
export function LogsTab({ pod }: { readonly pod: KubeObject }) {
  const { initContainers = [], containers = [] } = (pod as { readonly spec?: PodSpec }).spec ?? {};
  const names = [...containers, ...initContainers].map(({ name }) => name);
  const [container, setContainer] = useState(names[0] ?? '');
  const [isFollowed, setFollowed] = useState(true);
  const [isWrapped, setWrapped] = useState(false);
  const [search, setSearch] = useState('');
  const { lines, error } = useLog(pod, container);
  const shown = useMemo(
    () => (search === '' ? lines : lines.filter(line => line.toLowerCase().includes(search.toLowerCase()))),
    [lines, search],
  );
  return (
    <>
      <div className="toolbar">
        <label className="field-inline">
          <span>Container</span>
          <select value={container} onChange={event => setContainer(event.target.value)}>
            {names.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className="field-inline">
          <span>Search</span>
          <input type="search" value={search} onChange={event => setSearch(event.target.value)} />
        </label>
        <label className="check">
          <input type="checkbox" checked={isFollowed} onChange={event => setFollowed(event.target.checked)} />
          Follow
        </label>
        <label className="check">
          <input type="checkbox" checked={isWrapped} onChange={event => setWrapped(event.target.checked)} />
          Wrap
        </label>
        <Button onClick={() => download(`${pod.metadata.name}-${container}.log`, lines)}>Download</Button>
      </div>
      {error !== undefined && <FailureNotice goal="read the log" error={error} />}
      {shown.length === 0 && error === undefined ? (
        <EmptyState title={search === '' ? 'The log is empty so far' : 'No line matches'} />
      ) : (
        <LogLines lines={shown} isFollowed={isFollowed} isWrapped={isWrapped} />
      )}
    </>
  );
}

interface LogLinesProps {
  readonly lines: readonly string[];
  readonly isFollowed: boolean;
  readonly isWrapped: boolean;
}

function LogLines({ lines, isFollowed, isWrapped }: LogLinesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => lineHeightPx,
    overscan: 20,
  });
  useEffect(() => {
    if (isFollowed && lines.length > 0) virtualizer.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [isFollowed, lines, virtualizer]);
  return (
    <div ref={frame} className={isWrapped ? 'log log-wrapped' : 'log'} role="log" aria-label="Log lines" tabIndex={0}>
      <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
        {virtualizer.getVirtualItems().map(({ index, start, key }) => (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className="log-line"
            style={{ transform: `translateY(${start}px)` }}
          >
            {lines[index]}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The lines of a log as they come, shown four times a second. */
function useLog(pod: KubeObject, container: string) {
  const { cluster } = useCluster();
  const { namespace = '', name = '', uid } = pod.metadata;
  const [state, setState] = useState<{ readonly lines: readonly string[]; readonly error?: unknown }>({ lines: [] });
  useEffect(() => {
    const stop = new AbortController();
    let lines: readonly string[] = [];
    let fresh: string[] = [];
    const show = (error?: unknown): void => {
      lines = [...lines, ...fresh].slice(-maxLines);
      fresh = [];
      setState({ lines, ...(error !== undefined && { error }) });
    };
    const timer = setInterval(() => fresh.length > 0 && show(), showEveryMs);
    const read = async (): Promise<void> => {
      const address = { group: '', version: 'v1', plural: 'pods' };
      const response = await request(`${objectPath(cluster, address, { namespace, name })}/log`, {
        query: { container, follow: true, tailLines },
        signal: stop.signal,
      });
      for await (const line of linesOf(response)) fresh.push(plainText(line));
    };
    setState({ lines: [] });
    read().catch((error: unknown) => stop.signal.aborted || show(error));
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [cluster, namespace, name, uid, container]);
  return state;
}

function download(name: string, lines: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([lines.join('\n')], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
