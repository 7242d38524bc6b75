import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoundProgram, TestLandscape } from '@chandlery/testing';
import axe from 'axe-core';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { type } from './by-keyboard.ts';

/** Where the screenshots of the journeys are kept, for people to inspect. */
const artefacts = join(import.meta.dirname, '../../../.cache/console-screenshots');

/** How long a view may take on a machine that does other work. */
const timeoutMs = 30_000;

/** A Chromium for the console of a landscape. */
export interface ConsoleBrowser extends AsyncDisposable {
  /** A user's tab, with an empty profile. Errors of its scripts fail the test that closes it. */
  open(): Promise<ConsoleTab>;
}

/** A tab with the console. */
export interface ConsoleTab extends AsyncDisposable {
  readonly page: Page;
  /** Opens an address below `/console/`; what was in memory is lost. */
  goto(path: string): Promise<void>;
  /** Goes to a view as a link does. */
  visit(path: string): Promise<void>;
  signIn(token: string): Promise<void>;
  /**
   * Keeps pictures, wide and narrow, light and dark. Fails when axe finds anything in one of them, or when the page is
   * wider than its window.
   */
  screenshot(name: string): Promise<void>;
  /** Fails when axe finds anything, light or dark. */
  assertAccessible(view: string): Promise<void>;
}

/** Starts the browser. */
export async function startConsoleBrowser(
  { url }: Pick<TestLandscape, 'url'>,
  program: FoundProgram,
): Promise<ConsoleBrowser> {
  assert.ok(program.path !== undefined);
  await mkdir(artefacts, { recursive: true });
  const browser = await chromium.launch({
    executablePath: program.path,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
  return {
    open: async () => {
      const context = await browser.newContext({
        ignoreHTTPSErrors: true,
        viewport: sizes.wide,
        locale: 'en-US',
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(timeoutMs);
      await context.addInitScript({ content: axe.source });
      return tabOf(context, await context.newPage(), url);
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;
const schemes = ['light', 'dark'] as const;

function tabOf(context: BrowserContext, page: Page, url: string): ConsoleTab {
  const failures: string[] = [];
  page.on('pageerror', error => failures.push(error.message));
  page.on('console', message => {
    if (/Content Security Policy|Trusted/i.test(message.text())) failures.push(message.text());
  });
  const goto = async (path: string): Promise<void> => {
    await page.goto(`${url}/console/${path}`);
    await page.locator('#root > *').first().waitFor();
  };
  return {
    page,
    goto,
    visit: path =>
      page.evaluate(
        `history.pushState(undefined, '', ${JSON.stringify(`/console/${path}`)}); dispatchEvent(new PopStateEvent('popstate'));`,
      ),
    signIn: async token => {
      await type(page.getByLabel('Token'), token);
      await page.keyboard.press('Enter');
    },
    screenshot: async name => {
      for (const [size, viewport] of Object.entries(sizes)) {
        await page.setViewportSize(viewport);
        assert.equal(await page.evaluate(hiddenWidth), 0, `${name}, ${size}: the page can be scrolled sideways`);
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await axeProblems(page), [], `${name}, ${size}, ${colorScheme}`);
          await page.screenshot({ path: join(artefacts, `${name}-${size}-${colorScheme}.png`) });
        }
      }
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(sizes.wide);
    },
    assertAccessible: async view => {
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await axeProblems(page), [], `${view}, ${colorScheme}`);
      }
      await page.emulateMedia({ colorScheme: 'light' });
    },
    [Symbol.asyncDispose]: async () => {
      await context.close();
      assert.deepEqual(failures, []);
    },
  };
}

/** How much of the page is beside the window. */
const hiddenWidth = 'Math.max(0, document.documentElement.scrollWidth - innerWidth)';

/** What axe finds wrong in the page, one text for each element. */
const axeProblems = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 300)}`),
    );
  });
