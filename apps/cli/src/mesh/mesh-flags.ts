import type { Flag, Flags } from '../args/flags.ts';
import { usageError } from '../args/usage-error.ts';

/** Heading in the overview of commands. */
export const meshGroup = 'Mesh';

const defaultCluster = 'onboarding';

/** Flag of the mesh. */
export const meshFlag = {
  mesh: { type: 'text', valueName: 'NAME', about: `A Mesh, or a logical cluster in none. Default: ${defaultCluster}.` },
} as const satisfies Record<string, Flag>;

/** The selected mesh. */
export const meshOf = (flags: Flags): string => flags.text('mesh') ?? defaultCluster;

/** Flags of the identity of a client. */
export const accountFlags = {
  account: { type: 'text', valueName: 'NS/ACCOUNT', about: 'The service account as which the workload runs.' },
  cluster: { type: 'text', valueName: 'NAME', about: `The cluster of the account. Default: ${defaultCluster}.` },
  'token-file': {
    type: 'text',
    valueName: 'FILE',
    about: "A token of the account, read again when it changes. Default: the kubeconfig's user.",
  },
  ttl: { type: 'text', valueName: 'TIME', about: 'How long certificates are to last. Default: a day.' },
} as const satisfies Record<string, Flag>;

/** Flag of the address for proxies. */
export const xdsFlag = {
  'xds-address': {
    type: 'text',
    valueName: 'HOST:PORT',
    about: "The landscape's port for proxies. Default: the port that it names, on its host. [CHANDLERY_XDS_ADDRESS]",
  },
} as const satisfies Record<string, Flag>;

/** A name within a namespace. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** Parses `NAMESPACE/NAME`; `what` is the word of the usage line. */
export function namespacedName(text: string, what: string): NamespacedName {
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace !== '' && name !== '' && rest.length === 0) return { namespace, name };
  throw usageError('InvalidOption', `${what} must be a namespace and a name, such as shop/web, not "${text}"`);
}

/** A service account of a cluster. */
export interface ClusterAccount extends NamespacedName {
  readonly cluster: string;
}

/** The account that `--account` and `--cluster` name. */
export function accountOf(flags: Flags): ClusterAccount {
  const text = flags.text('account');
  if (text === undefined) throw usageError('MissingArgument', '--account NS/ACCOUNT is missing');
  return { ...namespacedName(text, '--account'), cluster: flags.text('cluster') ?? defaultCluster };
}
