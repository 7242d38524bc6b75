import { eventually } from '@chandlery/testing';
import type { ConsoleTab } from './console-browser.ts';

const buildTimeoutMs = 120_000;

/** Opens the console, which may have to be built first, and signs in. */
export async function signInTo(tab: ConsoleTab, token: string, path = 'onboarding/home'): Promise<void> {
  await eventually(
    async () => {
      await tab.goto(path);
      return tab.page.getByRole('heading', { name: 'Sign in to Chandlery' }).isVisible();
    },
    { timeoutMs: buildTimeoutMs, what: 'the console to be built' },
  );
  await tab.signIn(token);
  await tab.page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

/** Moves the focus to an element by Tab alone, from where it is. Fails when it is not reached. */
export async function tabTo(tab: ConsoleTab, name: string, maxSteps = 120): Promise<void> {
  for (let step = 0; step < maxSteps; step += 1) {
    const focused = await tab.page.evaluate<string>(
      `(() => { const e = document.activeElement; return e === null ? '' : (e.getAttribute('aria-label') ?? e.innerText ?? '') + '|' + (e.labels?.[0]?.innerText ?? ''); })()`,
    );
    if (focused.split('|').some(text => text.trim().startsWith(name))) return;
    await tab.page.keyboard.press('Tab');
  }
  throw new Error(`"${name}" is not reached by Tab`);
}
