import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type HttpClient } from '@chandlery/client';
import type { Command, CommandContext } from '../command.ts';
import { clusterOfServer, contextConnectionOf } from './connect.ts';
import { openBrowser } from './open-browser.ts';

export const consoleCommand: Command = {
  name: 'console',
  formats: [],
  summary: 'Open the web console, signed in as you',
  usage: '[PAGE] [flags]',
  examples: ['chandlery console', 'chandlery console catalogue', 'chandlery console --browser=false'],
  arguments: { optional: ['PAGE'] },
  options: {
    browser: { type: 'switch', about: 'Open the browser. Default: true on a terminal.' },
  },
  notes: [
    'PAGE is what follows the cluster in the address of a page: home (the default), catalogue, instances, orders …',
    'The address signs in one browser, once, within a minute. It opens the cluster of the context.',
  ],
  goal: () => 'open the console',
  async run(context) {
    const { args, flags, stdout, isInteractive = false } = context;
    const connection = contextConnectionOf(context);
    const cluster = clusterOfServer(connection.server);
    await using client = createClient(connection);
    await untilBuilt(client, context);
    const response = await client.raw('/sign-in/codes', {
      method: 'POST',
      isFromRoot: true,
      headers: cluster === undefined ? {} : { 'x-chandlery-cluster': cluster },
    });
    const { code } = (await response.json()) as { readonly code: string };
    const url = new URL(`/console/${cluster ?? 'onboarding'}/${args[0] ?? 'home'}`, connection.server);
    // Browsers do not send the fragment to the server, so the code is in none of its logs.
    url.hash = `code=${code}`;
    stdout.write(`${url.href}\n`);
    if (flags.isOn('browser', isInteractive)) openBrowser(url.href);
    return 0;
  },
};

const pauseMs = 500;
/** A build takes seconds; after this the page itself says what is wrong. */
const maxBuildMs = 60_000;

/** In a clone the console is built when it is first asked for. A page that reloads itself meanwhile would lose the code. */
async function untilBuilt(client: HttpClient, { stderr }: CommandContext): Promise<void> {
  const deadline = performance.now() + maxBuildMs;
  for (let isFirst = true; performance.now() < deadline; isFirst = false) {
    const response = await client.raw('/console/', { isFromRoot: true, accept: [503] });
    await response.text();
    if (response.status !== 503) return;
    if (isFirst) stderr.write('Building the console, once…\n');
    await sleep(pauseMs);
  }
}
