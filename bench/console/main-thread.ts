/** An event of Chromium's tracing, times in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

/** What the main thread of a tab did while it was traced. */
export interface MainThread {
  /** The longest task, in milliseconds. */
  readonly longestMs: number;
  readonly over50: number;
  readonly over100: number;
  /** Time in tasks. */
  readonly busyMs: number;
}

const taskNames = new Set(['RunTask', 'ThreadControllerImpl::RunTask']);

/** The tasks of the main threads of renderers. Several names of one task would count twice: the most frequent counts. */
export function mainThreadOf(events: readonly TraceEvent[]): MainThread {
  const threads = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = events.filter(
    ({ name, ph, pid, tid }) => ph === 'X' && taskNames.has(name) && threads.has(`${pid}/${tid}`),
  );
  const chosen = tasks.some(({ name }) => name === 'RunTask') ? 'RunTask' : 'ThreadControllerImpl::RunTask';
  const lengths = tasks.filter(({ name }) => name === chosen).map(({ dur = 0 }) => dur / 1000);
  return {
    longestMs: Math.max(0, ...lengths),
    over50: lengths.filter(ms => ms > 50).length,
    over100: lengths.filter(ms => ms > 100).length,
    busyMs: lengths.reduce((sum, ms) => sum + ms, 0),
  };
}
