import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { FoundProgram, TestLandscape } from '@chandlery/testing';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** Screenshots of the journeys are kept here; people look at them. */
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
  /** Keeps pictures: wide and narrow, light and dark. */
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
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return {
    open: async () => {
      const context = await browser.newContext({
        ignoreHTTPSErrors: true,
        viewport: sizes.wide,
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(timeoutMs);
      await context.addInitScript({ content: axe });
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
      page.evaluate(to => {
        history.pushState(undefined, '', `/console/${to}`);
        dispatchEvent(new PopStateEvent('popstate'));
      }, path),
    signIn: async token => {
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    },
    screenshot: async name => {
      for (const [size, viewport] of Object.entries(sizes)) {
        await page.setViewportSize(viewport);
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme });
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

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What axe finds wrong in the page, one text for each element. */
const axeProblems = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<AxeResult> } };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 300)}`),
    );
  });
