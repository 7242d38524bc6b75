import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { connectionMark, isRefusal, pause } from '../api/follow.ts';
import { linesOf } from '../api/watch.ts';
import { Button } from '../ui/button.tsx';
import { download } from '../ui/download.ts';
import { EmptyState, FailureNotice } from '../ui/notice.tsx';
import { terminalLine } from '../ui/plain-text.ts';

/** Older lines are dropped: a browser is no archive. */
const maxLines = 20_000;
const showEveryMs = 250;
const minRetryMs = 1000;
const maxRetryMs = 15_000;
const lineHeightPx = 20;

interface LogSource {
  /** Names the log: another one is opened from its start. */
  readonly source: string;
  /** Names the run that writes it; empty before the first one. The log of the next run follows below. Default: empty. */
  readonly run?: string;
  /** Whether more lines may come, even when its response has ended. Default false. */
  readonly isRunning?: boolean;
  /** Requests the log, followed. */
  readonly open: (signal: AbortSignal) => Promise<Response>;
}

interface LogViewerProps extends LogSource {
  readonly fileName: string;
  /** Further controls. Default: none. */
  readonly children?: ReactNode;
}

/** A log that is followed, searched, wrapped and downloaded. */
export function LogViewer({ fileName, children, ...log }: LogViewerProps) {
  const [isFollowed, setFollowed] = useState(true);
  const [isWrapped, setWrapped] = useState(false);
  const [search, setSearch] = useState('');
  const { lines, error } = useLog(log);
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

interface LogState {
  readonly lines: readonly string[];
  readonly error?: unknown;
}

/** Between the log of a run and that of the next one. */
const startedAgain = '──── started again ────';

/**
 * The lines of a log as they come, shown four times a second. When the connection is lost, or the response ends before the
 * run does, the log is read again in the place of what it was.
 */
function useLog({ source, run = '', isRunning = false, open }: LogSource): LogState {
  const [state, setState] = useState<LogState>({ lines: [] });
  const shown = useRef({ source: '', run: '', lines: [] as readonly string[] });
  const latest = useRef({ isRunning, open });
  latest.current = { isRunning, open };
  useEffect(() => {
    const before = shown.current;
    const isNextRun = before.source === source && before.run !== '' && before.lines.length > 0;
    const earlier = isNextRun ? [...before.lines, startedAgain] : [];
    const stop = new AbortController();
    const setLost = connectionMark();
    let lines = earlier;
    let fresh: string[] = [];
    const show = (error?: unknown): void => {
      lines = [...lines, ...fresh].slice(-maxLines);
      fresh = [];
      shown.current = { source, run, lines };
      setState({ lines, ...(error !== undefined && { error }) });
    };
    const timer = setInterval(() => fresh.length > 0 && show(), showEveryMs);
    const read = async (): Promise<void> => {
      let isFirstLine = true;
      for await (const line of linesOf(await latest.current.open(stop.signal))) {
        setLost(false);
        if (isFirstLine) [lines, fresh, isFirstLine] = [earlier, [], false];
        fresh.push(terminalLine(line));
      }
    };
    const follow = async (): Promise<void> => {
      for (let retryMs = minRetryMs; !stop.signal.aborted; retryMs = Math.min(2 * retryMs, maxRetryMs)) {
        try {
          await read();
        } catch (error) {
          if (stop.signal.aborted) return;
          if (isRefusal(error)) return show(error);
          setLost(true);
          await pause(retryMs, stop.signal);
          continue;
        }
        // That the run has ended is known a moment after its last line.
        await pause(retryMs, stop.signal);
        if (!latest.current.isRunning) return;
      }
    };
    show();
    void follow();
    return () => {
      stop.abort();
      setLost(false);
      clearInterval(timer);
    };
  }, [source, run]);
  return state;
}
