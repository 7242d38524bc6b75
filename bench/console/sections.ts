import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { median, quantile } from '../kernel/statistics.ts';
import type { Aim, Row, Section } from '../runtime/report.ts';
import { type ConsolePage, openPage, signInAddress } from './console-page.ts';
import type { ConsoleWorld } from './console-world.ts';
import type { MainThread } from './main-thread.ts';
import type { ConsoleBenchOptions, SectionName } from './options.ts';
import { cluster, group, kinds, nameOf, namespaceOf, pluralOf, treeNamespace } from './seed.ts';

/** What sections measure with. */
export interface BenchContext {
  readonly world: ConsoleWorld;
  readonly browser: Browser;
  readonly options: ConsoleBenchOptions;
}

const aims = {
  scriptKB: 250,
  interactiveMs: 1000,
  openMs: 1000,
  longTaskMs: 100,
  holdMs: 50,
  frameMs: 16.7,
  frameShare: 0.01,
};
/** The clock of frames is not exact: one of 60 per second may take so long. */
const frameToleranceMs = 1.5;

const atMost = (limit: number, unit: string, value: number): Aim => ({
  text: `at most ${limit.toLocaleString('en-US')} ${unit}`,
  isMet: value <= limit,
});

const ofThread = ({ longestMs, over50, over100 }: MainThread, what: string): Row => ({
  what: `${what}, longest task`,
  unit: 'ms',
  ours: longestMs,
  aim: atMost(aims.longTaskMs, 'ms', longestMs),
  note: `${over50} over 50 ms, ${over100} over 100 ms`,
});

/** Resets the server's longest hold, runs, and says what it was. */
async function heldAtMost<T>({ server }: ConsoleWorld, run: () => Promise<T>) {
  await server.memory();
  const result = await run();
  return { result, holdMs: (await server.memory()).longestHoldMs };
}

const ofServer = (ours: number, what: string): Row => ({
  what: `${what}, longest hold of the server's main thread`,
  unit: 'ms',
  ours,
  aim: atMost(aims.holdMs, 'ms', ours),
});

const isHomeShown = `document.querySelector('.home') && [...document.querySelectorAll('.home .card')].every(card => !card.textContent.includes('Loading…'))`;

/** A tab that is signed in and has opened a page without lists. */
async function openSignedIn({ world, browser }: BenchContext): Promise<ConsolePage> {
  const tab = await openPage(browser);
  const address = await signInAddress(world, `${cluster}/settings`);
  await tab.page.goto(address);
  await tab.page.getByRole('heading', { name: 'Settings' }).waitFor();
  return tab;
}

/** Until the clone has built the console, its address shows progress. */
export async function waitForBuild({ world, browser }: BenchContext): Promise<void> {
  await using tab = await openPage(browser);
  for (let isBuilt = false; !isBuilt; await sleep(500)) {
    await tab.page.goto(`${world.server.url}/console/`);
    isBuilt = (await tab.page.locator('#root > *').count()) > 0;
  }
}

/** The first list after a start: the server has not counted the collection yet. */
async function measureColdList(context: BenchContext): Promise<Row[]> {
  const subject = { kind: kinds.many, count: context.options.many };
  await using tab = await openSignedIn(context);
  const { result, holdMs } = await heldAtMost(context.world, async () => {
    const rowsMs = await tab.timeUntil(...listOpen(subject));
    return { rowsMs, countsMs: rowsMs + (await tab.timeUntil('', `document.querySelector('.chip')`)) };
  });
  const { rowsMs, countsMs } = result;
  return [
    { what: 'first list after a start, rows', unit: 'ms', ours: rowsMs, aim: atMost(aims.openMs, 'ms', rowsMs) },
    { what: 'first list after a start, counts', unit: 'ms', ours: countsMs },
    ofServer(holdMs, 'first list'),
  ];
}

/** The first visit with an empty cache: the sign-in page, and the home page of who comes with a code. */
async function measureLoad(context: BenchContext): Promise<Section> {
  const { world, browser, options } = context;
  const coldList = await measureColdList(context);
  const times: { formMs: number; homeMs: number; thread: MainThread; scriptKB: number }[] = [];
  for (let sample = 0; sample < options.samples; sample++) {
    await using form = await openPage(browser);
    await form.page.goto(`${world.server.url}/console/${cluster}/home`, { waitUntil: 'commit' });
    const formMs = await form.page.evaluate<number>(until(`document.querySelector('input')`));
    const scriptKB = await gzippedScriptKB(form);
    await using home = await openPage(browser);
    const address = await signInAddress(world, `${cluster}/home`);
    const { result: homeMs, thread } = await home.traced(async () => {
      await home.page.goto(address, { waitUntil: 'commit' });
      return home.page.evaluate<number>(until(isHomeShown));
    });
    times.push({ formMs, homeMs, thread, scriptKB });
  }
  const formMs = median(times.map(time => time.formMs));
  const scriptKB = Math.max(...times.map(time => time.scriptKB));
  const [first] = times.map(({ thread }) => thread).toSorted((one, other) => other.longestMs - one.longestMs);
  return {
    title: 'First load with an empty cache',
    baseline: '',
    rows: [
      {
        what: 'script before interaction, gzipped',
        unit: 'KB',
        ours: scriptKB,
        aim: atMost(aims.scriptKB, 'KB', scriptKB),
      },
      { what: 'interactive (sign-in form)', unit: 'ms', ours: formMs, aim: atMost(aims.interactiveMs, 'ms', formMs) },
      { what: 'home page with its content', unit: 'ms', ours: median(times.map(time => time.homeMs)) },
      ...(first === undefined ? [] : [ofThread(first, 'home page')]),
      ...coldList,
    ],
  };
}

/** Milliseconds from the begin of the navigation to the first frame in which a condition holds. */
const until = (condition: string): string => `new Promise(resolve => {
  const look = () => { let holds = false; try { holds = Boolean(${condition}); } catch {}
    if (holds) resolve(performance.now()); else requestAnimationFrame(look); };
  look();
})`;

/** All scripts that the page has loaded, as gzip makes them: the browser itself asks for brotli. */
async function gzippedScriptKB({ page }: ConsolePage): Promise<number> {
  const texts = await page.evaluate<string[]>(
    `Promise.all([...new Set([...performance.getEntriesByType('resource').map(({ name }) => name)])]
      .filter(name => new URL(name).pathname.endsWith('.js')).map(async name => (await fetch(name)).text()))`,
  );
  return texts.reduce((sum, text) => sum + gzipSync(text).length, 0) / 1000;
}

interface Subject {
  readonly kind: string;
  readonly count: number;
}

/** An action of a user: what is done, and how one sees that it is done. */
interface Action {
  readonly what: string;
  /** Expressions of the page. */
  readonly before?: (subject: Subject) => readonly [action: string, condition: string];
  readonly act: (subject: Subject) => readonly [action: string, condition: string];
}

const visit = (path: string): string =>
  `history.pushState(undefined, '', ${JSON.stringify(`/console/${cluster}/${path}`)}); dispatchEvent(new PopStateEvent('popstate'))`;
const listPath = ({ kind }: Subject, query = ''): string => `list/${group}/${pluralOf(kind)}${query}`;
const heading = (text: string): string => `document.querySelector('h1')?.textContent === ${JSON.stringify(text)}`;
const rows = `document.querySelectorAll('tbody tr').length`;
const press = (selector: string): string => `document.querySelector(${JSON.stringify(selector)}).click()`;
const firstRow = `document.querySelector('tbody .row-link')?.href`;
const atSettings = [visit('settings'), heading('Settings')] as const;
const listOpen = (subject: Subject, query = '') =>
  [visit(listPath(subject, query)), `${heading(subject.kind)} && ${rows} > 0`] as const;
const lastNumber = ({ count }: Subject): number => count - 1;

const actions: readonly Action[] = [
  { what: 'open the list', act: subject => listOpen(subject) },
  {
    what: 'next page',
    before: subject => listOpen(subject),
    act: () => [
      `globalThis.firstRow = ${firstRow}; ${press('.pages button:last-of-type')}`,
      `${firstRow} !== globalThis.firstRow`,
    ],
  },
  {
    what: 'sort by age',
    before: subject => listOpen(subject),
    act: subject => [
      visit(listPath(subject, '?sort=-Age')),
      `document.querySelector('[aria-sort=descending]') && ${settled}`,
    ],
  },
  {
    what: 'filter by state',
    before: subject => listOpen(subject),
    act: () => [
      press('.chip.state-failed'),
      `${rows} > 0 && [...document.querySelectorAll('tbody tr')].every(row => row.querySelector('.state-failed'))`,
    ],
  },
  {
    what: 'search by name',
    before: subject => listOpen(subject),
    act: subject => [visit(listPath(subject, `?q=${nameOf(lastNumber(subject))}`)), `${rows} === 1`],
  },
  {
    what: 'open the details',
    act: subject => {
      const number = lastNumber(subject);
      const path = `object/${group}/${pluralOf(subject.kind)}/${namespaceOf(number)}/${nameOf(number)}`;
      return [visit(path), heading(nameOf(number))];
    },
  },
  { what: 'home page', act: () => [visit('home'), isHomeShown] },
];

/** The rows of a sort replace those before: the address changes at once, the rows when they have come. */
const settled = `performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.includes('sortBy=Age') && responseEnd > start)`;

async function measureAction(
  tab: ConsolePage,
  { before, act }: Action,
  subject: Subject,
  samples: number,
): Promise<number[]> {
  const times: number[] = [];
  // The first one loads scripts of the view and what the server makes once.
  for (let sample = 0; sample <= samples; sample++) {
    await tab.page.evaluate('performance.clearResourceTimings()');
    await tab.timeUntil(...atSettings);
    if (before !== undefined) await tab.timeUntil(...before(subject));
    times.push(await tab.timeUntil(...act(subject)));
  }
  return times;
}

async function measureActions(context: BenchContext, title: string): Promise<Section> {
  const { options } = context;
  await using tab = await openSignedIn(context);
  const many = { kind: kinds.many, count: options.many };
  const few = { kind: kinds.few, count: options.few };
  const lines: Row[] = [];
  await context.world.server.memory();
  for (const action of actions) {
    const baseline = await measureAction(tab, action, few, options.samples);
    const { result: ours, thread } = await tab.traced(() => measureAction(tab, action, many, options.samples));
    const value = median(ours.slice(1));
    const aim = atMost(aims.openMs, 'ms', value);
    const note = `first ${ours[0]?.toFixed(0)} ms, worst ${Math.max(...ours.slice(1)).toFixed(0)} ms, longest task ${thread.longestMs.toFixed(0)} ms`;
    lines.push({ what: action.what, unit: 'ms', ours: value, baseline: median(baseline.slice(1)), aim, note });
  }
  lines.push(ofServer((await context.world.server.memory()).longestHoldMs, 'all of these'));
  lines.push(...(await measureScrolling(tab, many, options)));
  return { title, baseline: `${options.few} objects`, rows: lines };
}

async function measureScrolling(tab: ConsolePage, subject: Subject, { scrollMs }: ConsoleBenchOptions): Promise<Row[]> {
  await tab.timeUntil(...atSettings);
  await tab.timeUntil(...listOpen(subject));
  const { result: frames, thread } = await tab.traced(() => tab.scrollFrames(scrollMs));
  const late = frames.filter(ms => ms > aims.frameMs + frameToleranceMs).length / Math.max(1, frames.length);
  return [
    {
      what: 'scroll, frames over 16.7 ms',
      unit: '%',
      ours: late * 100,
      aim: { text: 'at most 1 %', isMet: late <= aims.frameShare },
      note: `${frames.length} frames, p99 ${quantile(frames, 0.99).toFixed(1)} ms`,
    },
    ofThread(thread, 'scroll'),
  ];
}

const measureLists = (context: BenchContext): Promise<Section> =>
  measureActions(context, `${context.options.many.toLocaleString('en-US')} objects of one kind, nothing changes`);

async function measureBusy(context: BenchContext): Promise<Section> {
  const { many, changesPerMinute } = context.options;
  await using changes = context.world.change(changesPerMinute);
  const startedAt = performance.now();
  const title = `${many.toLocaleString('en-US')} objects of one kind, ${changesPerMinute.toLocaleString('en-US')} changes per minute`;
  const section = await measureActions(context, title);
  const rate = (changes.done() * 60_000) / (performance.now() - startedAt);
  return { ...section, remarks: [`${Math.round(rate).toLocaleString('en-US')} changes per minute were made`] };
}

const partPath = (name: string): string =>
  `object/${group}/${pluralOf(kinds.part)}/${treeNamespace}/${name}?tab=relations`;
const openTrace = (name: string) =>
  [visit(partPath(name)), `document.querySelectorAll('.tree li').length > 1`] as const;

async function measureTrace(context: BenchContext): Promise<Section> {
  const { nodes, fewNodes, samples } = context.options;
  await using tab = await openSignedIn(context);
  const time = async (name: string): Promise<number[]> => {
    const times: number[] = [];
    for (let sample = 0; sample <= samples; sample++) {
      await tab.timeUntil(...atSettings);
      times.push(await tab.timeUntil(...openTrace(name)));
    }
    return times;
  };
  const baseline = median((await time('small')).slice(1));
  const { result, holdMs } = await heldAtMost(context.world, () => tab.traced(() => time('large')));
  const { result: times, thread } = result;
  const ours = median(times.slice(1));
  const drawn = await tab.page.locator('.tree li').count();
  const frames = await tab.traced(() => tab.scrollFrames(context.options.scrollMs));
  return {
    title: `A trace of ${nodes.toLocaleString('en-US')} nodes`,
    baseline: `${fewNodes} nodes`,
    rows: [
      {
        what: 'open',
        unit: 'ms',
        ours,
        baseline,
        aim: atMost(aims.openMs, 'ms', ours),
        note: `first ${times[0]?.toFixed(0)} ms, ${drawn} lines drawn`,
      },
      ofThread(thread, 'open'),
      ofServer(holdMs, 'open'),
      ofThread(frames.thread, 'scroll'),
    ],
  };
}

async function measureMemory(context: BenchContext): Promise<Section> {
  const { world, options } = context;
  await using tab = await openSignedIn(context);
  await using _changes = world.change(options.changesPerMinute);
  await tab.timeUntil(...listOpen({ kind: kinds.many, count: options.many }));
  const durationMs = options.minutes * 60_000;
  // What is made once is there after a while.
  await sleep(durationMs / 4);
  const read = async () => ({ tab: (await tab.heapBytes()) / 1e6, ...inUse(await world.server.memory()) });
  const before = await read();
  await sleep((durationMs * 3) / 4);
  const after = await read();
  const cpuBefore = await world.server.cpuSeconds();
  const measureMs = Math.min(10_000, durationMs);
  await sleep(measureMs);
  const cpu = ((await world.server.cpuSeconds()) - cpuBefore) / (measureMs / 1000);
  return {
    title: `An open list for ${options.minutes} min with ${options.changesPerMinute.toLocaleString('en-US')} changes per minute`,
    baseline: `after ${(options.minutes / 4).toFixed(1)} min`,
    rows: [
      { what: 'JavaScript heap of the tab', unit: 'MB', ours: after.tab, baseline: before.tab },
      { what: 'server, heap in use', unit: 'MB', ours: after.heap, baseline: before.heap },
      { what: 'server, resident', unit: 'MB', ours: after.resident, baseline: before.resident },
      { what: 'server, cores in use', unit: 'cores', ours: cpu },
    ],
  };
}

const inUse = ({ heapUsed, external, rss }: NodeJS.MemoryUsage) => ({
  heap: (heapUsed + external) / 1e6,
  resident: rss / 1e6,
});

/** The list of the large kind in a Headlamp that serves the same landscape. */
export async function measureHeadlamp(
  { browser, options: { samples } }: BenchContext,
  address: string,
): Promise<Section> {
  await using tab = await openPage(browser);
  const times: number[] = [];
  for (let sample = 0; sample <= samples; sample++) {
    await tab.page.goto('about:blank');
    await tab.page.goto(address, { waitUntil: 'commit' });
    times.push(await tab.page.evaluate<number>(until(`${rows} > 1`)));
  }
  const heap = (await tab.heapBytes()) / 1e6;
  return {
    title: 'The same list in Headlamp',
    baseline: '',
    rows: [
      {
        what: 'open the list, with the page',
        unit: 'ms',
        ours: median(times.slice(1)),
        note: `first ${times[0]?.toFixed(0)} ms`,
      },
      { what: 'JavaScript heap of the tab', unit: 'MB', ours: heap },
    ],
  };
}

/** The measurement of each section. */
export const measures: Readonly<Record<SectionName, (context: BenchContext) => Promise<Section>>> = {
  load: measureLoad,
  lists: measureLists,
  busy: measureBusy,
  trace: measureTrace,
  memory: measureMemory,
};
