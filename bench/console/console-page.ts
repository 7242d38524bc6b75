import { ChandleryError } from '@chandlery/api';
import { findChromium } from '@chandlery/testing';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import type { ConsoleWorld } from './console-world.ts';
import { type MainThread, mainThreadOf, type TraceEvent } from './main-thread.ts';

/** A tab of a real Chromium that measures what happens in it. */
export interface ConsolePage extends AsyncDisposable {
  readonly page: Page;
  /** Milliseconds from an action to the first frame in which a condition holds. Both are expressions of the page. */
  timeUntil(action: string, condition: string): Promise<number>;
  /** Runs something, and says what the main thread of the tab did meanwhile, from the browser's own tracing. */
  traced<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly thread: MainThread }>;
  /** The lengths of the frames while the page is scrolled, in milliseconds. */
  scrollFrames(durationMs: number): Promise<readonly number[]>;
  /** Bytes of JavaScript objects that are in use, after a collection. */
  heapBytes(): Promise<number>;
}

/** Starts the Chromium of the machine. */
export async function startBrowser(): Promise<Browser> {
  const program = await findChromium();
  if (program.path === undefined) throw new ChandleryError('NoBrowser', program.reason);
  return chromium.launch({
    executablePath: program.path,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
}

const timeoutMs = 120_000;

/** Opens a tab with an empty profile. */
export async function openPage(browser: Browser): Promise<ConsolePage> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(timeoutMs);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  return {
    page,
    timeUntil: (action, condition) => page.evaluate<number>(timing(action, condition)),
    traced: run => traced(devtools, run),
    scrollFrames: durationMs => page.evaluate<number[]>(scrolling(durationMs)),
    heapBytes: async () => {
      await devtools.send('HeapProfiler.collectGarbage');
      const { metrics } = await devtools.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

const timing = (action: string, condition: string): string => `new Promise((resolve, reject) => {
  const start = performance.now();
  ${action};
  const look = () => {
    const elapsed = performance.now() - start;
    let holds = false;
    try { holds = Boolean(${condition}); } catch {}
    if (holds) resolve(elapsed);
    else if (elapsed > ${timeoutMs}) reject(new Error('never: ' + ${JSON.stringify(condition)}));
    else requestAnimationFrame(look);
  };
  look();
})`;

/** Down and up again as a wheel does, a little in every frame. */
const scrolling = (durationMs: number): string => `new Promise(resolve => {
  const scrolled = [document.scrollingElement, ...document.querySelectorAll('main, .main, .table-frame')]
    .find(element => element.scrollHeight > element.clientHeight + 50) ?? document.scrollingElement;
  const lengths = [];
  let step = 24;
  let last;
  const start = performance.now();
  const frame = now => {
    if (last !== undefined) lengths.push(now - last);
    last = now;
    if (now - start > ${durationMs}) return resolve(lengths);
    const before = scrolled.scrollTop;
    scrolled.scrollTop += step;
    if (scrolled.scrollTop === before) step = -step;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})`;

async function traced<T>(devtools: CDPSession, run: () => Promise<T>) {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { readonly value: readonly object[] }): void =>
    void events.push(...(value as TraceEvent[]));
  devtools.on('Tracing.dataCollected', collect);
  const ended = new Promise<void>(resolve => devtools.once('Tracing.tracingComplete', () => resolve()));
  const categories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'];
  await devtools.send('Tracing.start', { categories: categories.join(','), transferMode: 'ReportEvents' });
  try {
    const result = await run();
    await devtools.send('Tracing.end');
    await ended;
    return { result, thread: mainThreadOf(events) };
  } finally {
    devtools.off('Tracing.dataCollected', collect);
  }
}

/** An address that signs in one tab, once. */
export async function signInAddress(world: ConsoleWorld, path: string): Promise<string> {
  const { code } = (await world.request('/sign-in/codes', { method: 'POST', body: {} })) as { readonly code: string };
  return `${world.server.url}/console/${path}#code=${code}`;
}
