import { ChandleryError } from '@chandlery/api';
import type { HttpClient, ObjectRef } from '@chandlery/client';
import { systemNamespace } from '@chandlery/clusters/kinds';
import type { Provider } from '@chandlery/providers/kinds';
import { formatOf } from '../args/global-flags.ts';
import type { Command } from '../command.ts';
import { connect } from '../landscape/connect.ts';
import { formatValue } from '../output/print-object.ts';
import { kubeconfigWith } from '../users/person-kubeconfig.ts';
import { requestToken, ttlOf } from '../users/request-token.ts';
import { findProvider } from './describe-command.ts';
import { type ProviderPart, partSelector } from './provider-pods.ts';

const serviceAccounts = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: systemNamespace };
const platformName = 'platform';

export const providerKubeconfigCommand: Command = {
  name: 'provider kubeconfig',
  summary: 'Print a kubeconfig for a provider that runs outside of the landscape',
  usage: 'NAME [flags]',
  examples: [
    'chandlery provider kubeconfig hello --init > init.kubeconfig',
    'chandlery provider kubeconfig hello --ttl 720h > run.kubeconfig',
  ],
  arguments: { required: ['NAME'] },
  options: {
    init: { type: 'switch', about: 'For its init. Default: for what serves tenants, once init has completed.' },
    ttl: { type: 'text', valueName: 'DURATION', about: 'How long it is valid, from 10m to 8760h. Default: 8h.' },
  },
  notes: [
    'It has the rights of the provider on the platform cluster and no others; docs/providers-outside.md uses it.',
  ],
  goal: ([name]) => `print a kubeconfig for the provider "${name}"`,
  async run(context) {
    const format = formatOf(context.flags, ['yaml', 'json']);
    const ttlMs = ttlOf(context.flags.text('ttl') ?? '8h');
    await using platform = connect(context);
    const provider = await findProvider(platform, context.args[0] ?? '');
    const account = await findAccount(platform, provider, context.flags.isOn('init') ? 'init' : 'run');
    const { token, expires } = await requestToken(platform, account, ttlMs);
    const access = { cluster: platformName, user: account.name, token };
    context.stdout.write(formatValue(await kubeconfigWith(context, platform, access), format));
    context.stderr.write(`the token of ${account.name} is valid until ${expires}\n`);
    return 0;
  },
};

/** The account that the operator made for a part. */
async function findAccount(platform: HttpClient, provider: Provider, part: ProviderPart): Promise<ObjectRef> {
  const { items } = await platform.list(serviceAccounts, { labelSelector: partSelector(provider, part) });
  const [account] = items;
  if (account?.metadata.name !== undefined) return { ...serviceAccounts, name: account.metadata.name };
  const { name } = provider.metadata;
  throw new ChandleryError('NotReady', `the provider has no account for its ${part} yet`, {
    hint:
      part === 'run'
        ? `It gets one when init has completed: "npx chandlery provider kubeconfig ${name} --init" is for that.`
        : `"npx chandlery provider describe ${name}" shows why.`,
  });
}
