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
