import { ChandleryError } from '@chandlery/api';
import { readKubeconfig } from '@chandlery/client';
import { didYouMean } from '@chandlery/platform';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { kubeconfigPathOf } from '../landscape/connect.ts';
import { isForPeople, resultFormats } from '../output/print-object.ts';
import { type Listed, printList } from '../output/print-results.ts';
import { readLogins, removeLogin, writeLogins } from './login-store.ts';
import { readTokens, storeTokens } from './token-file.ts';
import { warnUnlessUsed } from './warn-unless-used.ts';

const contextListCommand: Command = {
  name: 'context list',
  summary: 'List the contexts of the kubeconfig in use',
  usage: '[flags]',
  examples: ['chandlery context list', 'chandlery context list -o json'],
  formats: resultFormats,
  options: {},
  goal: () => 'list the contexts',
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    const path = kubeconfigPathOf(context);
    const { file } = readKubeconfig(path);
    const serverOf = (name: string | undefined): string =>
      file.clusters.find(cluster => cluster.name === name)?.cluster.server ?? '';
    const contexts = file.contexts.map(({ name, context: { cluster, user, namespace } }) => ({
      isCurrent: name === file['current-context'],
      name,
      server: serverOf(cluster),
      user: user ?? '',
      namespace: namespace ?? '',
    }));
    if (isForPeople(format)) context.stderr.write(`Of ${path}:\n`);
    printList(context, { items: contexts, listed, format });
    return Promise.resolve(0);
  },
};

interface ShownContext {
  readonly isCurrent: boolean;
  readonly name: string;
  readonly server: string;
  readonly user: string;
  readonly namespace: string;
}

const listed: Listed<ShownContext> = {
  noun: 'context',
  document: 'array',
  columns: [
    ['current', ({ isCurrent }) => (isCurrent ? '*' : '-')],
    ['name', ({ name }) => name],
    ['server', ({ server }) => server],
    ['user', ({ user }) => user],
    ['namespace', ({ namespace }) => namespace],
  ],
};

const contextUseCommand: Command = {
  name: 'context use',
  summary: 'Choose the sign-in that commands use',
  usage: 'NAME',
  examples: ['chandlery context use acme'],
  arguments: { required: ['NAME'] },
  formats: [],
  options: {},
  goal: ([name]) => `use the context "${name}"`,
  async run(context) {
    const [name = ''] = context.args;
    const file = readLogins(context);
    assertLogin(
      name,
      file.contexts.map(entry => entry.name),
    );
    writeLogins(context, { ...file, 'current-context': name });
    context.stdout.write(`The context is "${name}" now.\n`);
    warnUnlessUsed(context);
    return Promise.resolve(0);
  },
};

const logoutCommand: Command = {
  name: 'logout',
  summary: 'Forget a sign-in',
  usage: 'NAME',
  examples: ['chandlery logout acme'],
  arguments: { required: ['NAME'] },
  formats: [],
  options: {},
  goal: ([name]) => `forget the sign-in "${name}"`,
  async run(context) {
    const [name = ''] = context.args;
    assertLogin(
      name,
      readLogins(context).contexts.map(entry => entry.name),
    );
    removeLogin(context, name);
    context.stdout.write(`The sign-in "${name}" is forgotten.\n`);
    return Promise.resolve(0);
  },
};

function assertLogin(name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  throw new ChandleryError('NotFound', `there is no sign-in "${name}"${didYouMean(name, known)}`, {
    hint: 'List them with "npx chandlery context list", or sign in with "npx chandlery login".',
  });
}

/** Tokens are refreshed when they have less than this left. */
const marginMs = 30_000;

/** The credential plug-in of sign-ins at an OpenID provider. */
const credentialCommand: Command = {
  name: '__credential',
  isHidden: true,
  summary: 'Print the credentials of a sign-in for kubectl',
  usage: 'NAME',
  examples: ['chandlery __credential acme'],
  arguments: { required: ['NAME'] },
  formats: [],
  options: {},
  goal: ([name]) => `read the credentials of "${name}"`,
  async run(context) {
    const [name = ''] = context.args;
    let tokens = readTokens(context, name);
    if (tokens.expiresAtMs - Date.now() < marginMs) {
      const { refreshTokens } = await import('./oidc-login.ts');
      tokens = await refreshTokens(tokens);
      storeTokens(context, name, tokens);
    }
    const status = { token: tokens.idToken, expirationTimestamp: new Date(tokens.expiresAtMs).toISOString() };
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
    context.stdout.write(`${JSON.stringify(credential)}\n`);
    return 0;
  },
};

export const contextCommands: readonly Command[] = [
  contextListCommand,
  contextUseCommand,
  logoutCommand,
  credentialCommand,
];
