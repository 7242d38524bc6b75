import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { linesOf } from '../api/watch.ts';
import { Button } from '../ui/button.tsx';
import { download } from '../ui/download.ts';
import { EmptyState, FailureNotice } from '../ui/notice.tsx';
import { terminalLine } from '../ui/plain-text.ts';

/** Older lines are dropped: a browser is no archive. */
const maxLines = 20_000;
const showEveryMs = 250;
const lineHeightPx = 20;

interface LogViewerProps {
  /** Names the log: another one is opened from its start. */
  readonly source: string;
  /** Requests the log, followed. */
  readonly open: (signal: AbortSignal) => Promise<Response>;
  readonly fileName: string;
  /** Further controls. Default: none. */
  readonly children?: ReactNode;
}

/** A log that is followed, searched, wrapped and downloaded. */
export function LogViewer({ source, open, fileName, children }: LogViewerProps) {
  const [isFollowed, setFollowed] = useState(true);
  const [isWrapped, setWrapped] = useState(false);
  const [search, setSearch] = useState('');
  const { lines, error } = useLog(source, open);
  const shown = useMemo(
    () => (search === '' ? lines : lines.filter(line => line.toLowerCase().includes(search.toLowerCase()))),
    [lines, search],
  );
  return (
    <>
      <div className="toolbar">
        {children}
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
        <Button onClick={() => download(fileName, new Blob([lines.join('\n')], { type: 'text/plain' }))}>
          Download
        </Button>
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
function useLog(source: string, open: LogViewerProps['open']) {
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
      for await (const line of linesOf(await open(stop.signal))) fresh.push(terminalLine(line));
    };
    setState({ lines: [] });
    read().catch((error: unknown) => stop.signal.aborted || show(error));
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [source]);
  return state;
}
