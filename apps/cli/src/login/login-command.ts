import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ChandleryError, toError } from '@chandlery/api';
import { type ConnectionOptions, createClient } from '@chandlery/client';
import { usageError } from '../args/usage-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { serverOfCluster } from '../landscape/connect.ts';
import { openBrowser } from '../landscape/open-browser.ts';
import { listenForStop } from '../landscape/stop-signal.ts';
import { readText } from '../service-manager/read-input.ts';
import { loginKubeconfig, storeLogin } from './login-store.ts';
import { storeTokens } from './token-file.ts';
import { warnUnlessUsed } from './warn-unless-used.ts';
import { whoAmI } from './who-am-i.ts';

export const loginCommand: Command = {
  name: 'login',
  summary: 'Sign in to a landscape, with a token or by an OpenID provider',
  usage: 'SERVER [flags]',
  examples: [
    'chandlery login https://chandlery.example.com --token-file token',
    'chandlery login https://chandlery.example.com --issuer https://id.example.com --client-id chandlery',
    'chandlery login https://127.0.0.1:7443 --cluster acme --ca-file ca.crt --token-file - < token',
  ],
  arguments: { required: ['SERVER'] },
  formats: [],
  options: {
    cluster: { type: 'text', valueName: 'NAME', about: 'The logical cluster to work in. Default: onboarding.' },
    namespace: { type: 'text', short: 'n', valueName: 'NAME', about: 'The namespace to work in. Default: default.' },
    'ca-file': { type: 'text', valueName: 'FILE', about: "The landscape's CA. Default: the CAs of the system." },
    'token-file': { type: 'text', valueName: 'FILE', about: 'A file with a token, or - for standard input.' },
    issuer: { type: 'text', valueName: 'URL', about: 'The OpenID provider, instead of a token.' },
    'client-id': { type: 'text', valueName: 'ID', about: 'Our client there. Default: chandlery.' },
    name: { type: 'text', valueName: 'NAME', about: 'The name of the context. Default: the cluster.' },
    browser: { type: 'switch', about: 'Open the browser. Default: true on a terminal.' },
  },
  notes: [
    'Sign-ins are kept in ~/.config/chandlery, readable by you alone; "npx chandlery context list" shows them.',
    'kubectl uses them with KUBECONFIG set to the file that the command names.',
  ],
  goal: ([server]) => `sign in to ${server ?? 'a landscape'}`,
  async run(context) {
    const { flags, args, stdout } = context;
    const cluster = flags.text('cluster') ?? 'onboarding';
    const name = flags.text('name') ?? cluster;
    const place = placeOf(context, args[0] ?? '', cluster);
    const { token, user } = await credentialsOf(context, name);
    const username = await userOf({ ...place.connection, token }).catch((thrown: unknown) => {
      throw explained(thrown, place.connection.server);
    });
    const namespace = flags.text('namespace');
    storeLogin(context, { name, cluster: place.cluster, user, ...(namespace === undefined ? {} : { namespace }) });
    stdout.write(
      `Signed in to ${place.connection.server} as ${username}; the context is "${name}".\n` +
        `  For kubectl:  export KUBECONFIG=${loginKubeconfig(context)}\n`,
    );
    warnUnlessUsed(context);
    return 0;
  },
};

/** A failed attempt in terms of what was said on the command line. */
function explained(cause: unknown, server: string): ChandleryError {
  const error = toError(cause);
  const { code, message } = error;
  if (code === 'Unauthorized') {
    const hint =
      'Check the token and the cluster; a token of a service account is valid on one cluster. Nothing was stored.';
    return new ChandleryError('SignInFailed', `${server} does not accept these credentials`, { hint, cause });
  }
  if (code !== 'UntrustedServer' && code !== 'ConnectionFailed') return error;
  return new ChandleryError(code, message, { hint: code === 'UntrustedServer' ? whichAuthority : whichAddress, cause });
}

const whichAuthority =
  'Name the authority of the landscape with --ca-file: "ca.crt" of its data folder, which its operator can give you.';
const whichAddress = 'Check the address, and that the landscape runs there and can be reached from here.';

function placeOf({ flags, cwd }: CommandContext, address: string, cluster: string) {
  if (!URL.canParse(address) || new URL(address).protocol !== 'https:')
    throw usageError('UnexpectedArgument', `SERVER must be an https address, not "${address}"`);
  const caFile = flags.text('ca-file');
  const caPem = caFile === undefined ? undefined : readFileSync(resolve(cwd, caFile), 'utf8');
  const server = serverOfCluster(address, cluster);
  return {
    connection: { server, userAgent: 'chandlery-cli', ...(caPem === undefined ? {} : { caPem }) },
    cluster: {
      server,
      ...(caPem === undefined ? {} : { 'certificate-authority-data': Buffer.from(caPem).toString('base64') }),
    },
  };
}

interface Credentials {
  readonly token: string;
  /** What the kubeconfig says about the user. */
  readonly user: object;
}

async function credentialsOf(context: CommandContext, name: string): Promise<Credentials> {
  const { flags } = context;
  const issuer = flags.text('issuer');
  const tokenFile = flags.text('token-file');
  if ((issuer === undefined) === (tokenFile === undefined))
    throw usageError('MissingArgument', 'say either --token-file or --issuer');
  if (tokenFile !== undefined) {
    const token = (await readText(context, tokenFile === '-' ? '-' : `@${tokenFile}`)).trim();
    return { token, user: { token } };
  }
  using stop = listenForStop();
  const clientId = flags.text('client-id') ?? 'chandlery';
  const onAddress = (url: string): void => showAddress(context, url);
  // Loaded by those who need it: it would slow every other command down.
  const { signInByBrowser } = await import('./oidc-login.ts');
  const tokens = await signInByBrowser({ issuer: issuer ?? '', clientId, onAddress, signal: stop.signal });
  storeTokens(context, name, tokens);
  return { token: tokens.idToken, user: { exec: credentialPlugin(context, name) } };
}

/** kubectl and this command ask for a fresh token when the last one has expired. */
function credentialPlugin({ program = ['chandlery'] }: CommandContext, name: string): object {
  const [command = 'chandlery', ...args] = program;
  return {
    apiVersion: 'client.authentication.k8s.io/v1',
    command,
    args: [...args, '__credential', name],
    interactiveMode: 'Never',
  };
}

function showAddress({ stderr, flags, isInteractive = false }: CommandContext, url: string): void {
  stderr.write(`Sign in at:\n  ${url}\n`);
  if (flags.isOn('browser', isInteractive)) openBrowser(url);
}

/** Asks the server who the credentials belong to; wrong ones are rejected here and not stored. */
async function userOf(connection: ConnectionOptions): Promise<string> {
  await using client = createClient(connection);
  return (await whoAmI(client)).username;
}
