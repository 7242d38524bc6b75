import { createClient } from '@chandlery/client';
import type { Command } from '../command.ts';
import { clusterOfServer, contextConnectionOf } from './connect.ts';
import { openBrowser } from './open-browser.ts';

export const consoleCommand: Command = {
  name: 'console',
  summary: 'Open the web console, signed in as you',
  usage: '[PAGE] [flags]',
  examples: ['chandlery console', 'chandlery console catalogue', 'chandlery console --browser=false'],
  arguments: { optional: ['PAGE'] },
  options: {
    browser: { type: 'switch', about: 'Open the browser. Default: true on a terminal.' },
  },
  notes: ['The address signs in one browser, once, within a minute.'],
  goal: () => 'open the console',
  async run(context) {
    const { args, flags, stdout, isInteractive = false } = context;
    const connection = contextConnectionOf(context);
    const cluster = clusterOfServer(connection.server);
    await using client = createClient(connection);
    const response = await client.raw('/sign-in/codes', {
      method: 'POST',
      isFromRoot: true,
      headers: cluster === undefined ? {} : { 'x-chandlery-cluster': cluster },
    });
    const { code } = (await response.json()) as { readonly code: string };
    const url = new URL(`/console/${args[0] ?? ''}`, connection.server);
    // Browsers do not send the fragment to the server, so the code is in none of its logs.
    url.hash = `code=${code}`;
    stdout.write(`${url.href}\n`);
    if (flags.isOn('browser', isInteractive)) openBrowser(url.href);
    return 0;
  },
};
