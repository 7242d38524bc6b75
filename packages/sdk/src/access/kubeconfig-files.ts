import { formatYaml, type Kubeconfig, parseKubeconfig } from '@chandlery/client';

/**
 * A kubeconfig as the files of a Secret: `kubeconfig`, and `token` beside it. Tokens are renewed: a program that mounts
 * the Secret reads the new token from the file, whereas a token inside the kubeconfig would require a restart.
 */
export function kubeconfigFiles(text: string): { readonly kubeconfig: string; readonly token: string } {
  const file = parseKubeconfig(text, 'the kubeconfig of an access');
  const token = file.users.map(({ user }) => user.token).find(value => value !== undefined) ?? '';
  return { kubeconfig: formatYaml({ ...file, users: file.users.map(withTokenFile) }), token };
}

function withTokenFile({ name, user }: Kubeconfig['users'][number]): Kubeconfig['users'][number] {
  const { token, ...rest } = user;
  return { name, user: token === undefined ? rest : { ...rest, tokenFile: 'token' } };
}
