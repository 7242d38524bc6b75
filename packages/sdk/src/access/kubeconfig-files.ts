import { formatYaml, type Kubeconfig, parseKubeconfig } from '@chandlery/client';

/** A kubeconfig as files that belong in one folder: `cluster-ca.crt` is there unless whom to trust is left to the system. */
export type KubeconfigFiles = Readonly<Record<string, string>> & {
  readonly kubeconfig: string;
  readonly token: string;
};

/**
 * A kubeconfig as the files of a Secret: `kubeconfig`, and beside it `token` and `cluster-ca.crt`. Tokens are renewed and
 * authorities replaced: a program that mounts the Secret reads the new ones from the files, whereas inside the
 * kubeconfig they would require a restart.
 */
export function kubeconfigFiles(text: string): KubeconfigFiles {
  const file = parseKubeconfig(text, 'the kubeconfig of an access');
  const token = file.users.map(({ user }) => user.token).find(value => value !== undefined) ?? '';
  const authority = file.clusters.map(authorityIn).find(value => value !== undefined);
  const kubeconfig = formatYaml({
    ...file,
    users: file.users.map(withTokenFile),
    clusters: file.clusters.map(cluster => (authorityIn(cluster) === authority ? withAuthorityFile(cluster) : cluster)),
  });
  if (authority === undefined) return { kubeconfig, token };
  return { kubeconfig, token, [authorityFile]: Buffer.from(authority, 'base64').toString() };
}

type NamedCluster = Kubeconfig['clusters'][number];

const authorityFile = 'cluster-ca.crt';

const authorityIn = ({ cluster }: NamedCluster): string | undefined => cluster['certificate-authority-data'];

function withAuthorityFile({ name, cluster }: NamedCluster): NamedCluster {
  const { 'certificate-authority-data': data, ...rest } = cluster;
  return { name, cluster: data === undefined ? rest : { ...rest, 'certificate-authority': authorityFile } };
}

function withTokenFile({ name, user }: Kubeconfig['users'][number]): Kubeconfig['users'][number] {
  const { token, ...rest } = user;
  return { name, user: token === undefined ? rest : { ...rest, tokenFile: 'token' } };
}
