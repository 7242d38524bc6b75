import { createHash } from 'node:crypto';
import type { KubeObject } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';
import { kubeconfigFiles } from '@chandlery/sdk';
import { fleetClusterLabel, fleetManagedLabel } from '../../kinds/index.ts';
import type { ProvidedCluster } from '../../ports.ts';

/** The image of the agent; local clusters need a HostImage for it. */
export const agentImage = 'chandlery.io/fleet-agent';

/** Where agents of the landscape run, on the platform cluster. */
export const agentsNamespace = 'fleet-agents';

/** On the Secret of an agent: when its token is replaced. */
export const tokenRenewalAnnotation = 'fleet.chandlery.io/token-renewal';

/** On the Deployment of an agent: the cluster that it works on. */
const agentClusterAnnotation = 'fleet.chandlery.io/cluster';

const folder = '/etc/chandlery-agent';

/** Where agents find the fleet manager. */
export interface ControlPlaneAddress {
  readonly url: string;
  readonly caPem: string;
}

/** What an agent logs in with. */
export interface AgentCredentials {
  /** Of the fleet manager. */
  readonly token: string;
  readonly renewAt: string;
  /** Of its cluster. */
  readonly kubeconfig: string;
}

/** The name of an agent's objects: ids of clusters may be longer than names. */
export const agentName = ({ name, clusterId }: ProvidedCluster): string =>
  `agent-${clusterId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 30)}-${shortHash(name)}`.replace(/-+/g, '-');

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** The Secret with everything that an agent logs in with. Tokens are files, so that it finds new ones by itself. */
export function agentSecret(
  cluster: ProvidedCluster,
  { token, renewAt, kubeconfig }: AgentCredentials,
  { caPem }: ControlPlaneAddress,
): KubeObject {
  const files = { ...kubeconfigFiles(kubeconfig), 'agent-token': token, 'ca.crt': caPem };
  const data = Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')] as const);
  const { metadata } = placed(cluster);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, annotations: { [tokenRenewalAnnotation]: renewAt } },
    data: Object.fromEntries(data),
  };
}

/** The Deployment of an agent: one process, at a port of its own for the instances of its cluster. */
export function agentDeployment(cluster: ProvidedCluster, { url }: ControlPlaneAddress): KubeObject {
  const { metadata, labels } = placed(cluster);
  const template = {
    metadata: { labels, annotations: { 'clusters.chandlery.io/dynamic-ports': 'router' } },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 5,
      containers: [agentContainer(cluster, url)],
      volumes: [{ name: 'login', secret: { secretName: metadata.name } }],
    },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata, annotations: { [agentClusterAnnotation]: cluster.name } },
    spec: { replicas: 1, strategy: { type: 'Recreate' }, selector: { matchLabels: labels }, template },
  };
}

const agentContainer = ({ product, clusterId }: ProvidedCluster, url: string): object => ({
  name: 'agent',
  image: agentImage,
  args: [
    ...['--control-plane', url, '--ca', `${folder}/ca.crt`, '--token-file', `${folder}/agent-token`],
    ...['--product', product, '--cluster-id', clusterId, '--kubeconfig', `${folder}/kubeconfig`],
  ],
  env: [{ name: 'CHANDLERY_AGENT_ROUTER_PORT', value: '$(PORT_ROUTER)' }],
  ports: [{ name: 'router', containerPort: 8443 }],
  readinessProbe: { tcpSocket: { port: 'router' }, periodSeconds: 1 },
  volumeMounts: [{ name: 'login', mountPath: folder }],
});

const placed = (cluster: ProvidedCluster) => {
  const name = agentName(cluster);
  const labels = { app: name, [fleetManagedLabel]: 'true' };
  const ofCluster = { ...labels, [fleetClusterLabel]: shorten(cluster.name) };
  return { labels, metadata: { name, namespace: agentsNamespace, labels: ofCluster } };
};
