import { isError, type KubeObject } from '@chandlery/api';
import type { Client, ObjectRef, ResourceRef } from '@chandlery/client';
import type { Clock } from '@chandlery/platform';
import { apply } from '@chandlery/runtime';
import type { AgentInstaller, ProvidedCluster } from '../../ports.ts';
import {
  type AgentCredentials,
  agentDeployment,
  agentName,
  agentSecret,
  agentsNamespace,
  type ControlPlaneAddress,
  tokenRenewalAnnotation,
} from './agent-objects.ts';

export interface AgentInstallerOptions {
  /** Of the platform cluster, which must run pods. Not disposed of. */
  readonly platform: Client;
  /** Where agents find the fleet manager. */
  readonly controlPlane: ControlPlaneAddress;
  /** Issues a token for the agent of a cluster. */
  readonly issueToken: (clusterId: string, expirationSeconds: number) => string;
  readonly clock: Clock;
}

const fieldManager = 'chandlery-fleet';
const tokenSeconds = 24 * 3600;
/** Renewed at half of its life, so that a landscape that was down for hours still finds its agents logged in. */
const renewalMs = (tokenSeconds / 2) * 1000;

const namespaces: ResourceRef = { group: '', version: 'v1', plural: 'namespaces' };
const secrets: ResourceRef = { group: '', version: 'v1', plural: 'secrets' };
const pods: ResourceRef = { group: '', version: 'v1', plural: 'pods' };
const deployments: ResourceRef = { group: 'apps', version: 'v1', plural: 'deployments' };

/** Runs agents as Deployments on the platform cluster, each with a token of the landscape and access to its cluster. */
export function createAgentInstaller(options: AgentInstallerOptions): AgentInstaller {
  const { platform, controlPlane } = options;
  return {
    install: async (cluster, kubeconfig) => {
      await ensureNamespace(platform);
      const credentials = { ...(await currentToken(options, cluster)), kubeconfig };
      await apply(platform, fieldManager, [
        { plural: 'secrets', object: agentSecret(cluster, credentials, controlPlane) },
      ]);
      const desired = [{ plural: 'deployments', object: agentDeployment(cluster, controlPlane) }];
      const [deployment] = await apply(platform, fieldManager, desired);
      return deployment !== undefined && isAvailable(deployment);
    },
    remove: async cluster => {
      const name = agentName(cluster);
      await deleteIfPresent(platform, placeOf(deployments, name));
      await deleteIfPresent(platform, placeOf(secrets, name));
      const { items } = await platform.list({ ...pods, namespace: agentsNamespace }, { labelSelector: `app=${name}` });
      return items.length === 0;
    },
  };
}

/** The token that the agent has, unless it is time for another one. */
async function currentToken(
  { platform, clock, issueToken }: AgentInstallerOptions,
  cluster: ProvidedCluster,
): Promise<Omit<AgentCredentials, 'kubeconfig'>> {
  const secret = await find(platform, placeOf(secrets, agentName(cluster)));
  const { 'agent-token': token } = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
  const renewAt = secret?.metadata.annotations?.[tokenRenewalAnnotation] ?? '';
  const now = clock.now().getTime();
  if (token !== undefined && Date.parse(renewAt) > now)
    return { token: Buffer.from(token, 'base64').toString(), renewAt };
  return { token: issueToken(cluster.clusterId, tokenSeconds), renewAt: new Date(now + renewalMs).toISOString() };
}

async function ensureNamespace(platform: Client): Promise<void> {
  if ((await find(platform, { ...namespaces, name: agentsNamespace })) !== undefined) return;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: agentsNamespace } };
  await platform.create(namespaces, namespace, { fieldManager }).catch((error: unknown) => {
    if (!isError(error, 'AlreadyExists')) throw error;
  });
}

function isAvailable({ metadata, ...rest }: KubeObject): boolean {
  const {
    observedGeneration = 0,
    availableReplicas = 0,
    updatedReplicas = 0,
  } = (rest['status'] ?? {}) as {
    readonly observedGeneration?: number;
    readonly availableReplicas?: number;
    readonly updatedReplicas?: number;
  };
  return observedGeneration >= (metadata.generation ?? 0) && availableReplicas > 0 && updatedReplicas > 0;
}

const placeOf = (ref: ResourceRef, name: string): ObjectRef => ({ ...ref, namespace: agentsNamespace, name });

async function find(client: Client, place: ObjectRef): Promise<KubeObject | undefined> {
  try {
    return await client.get(place);
  } catch (error) {
    if (isError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function deleteIfPresent(client: Client, place: ObjectRef): Promise<void> {
  await client.delete(place, { propagationPolicy: 'Background' }).catch((error: unknown) => {
    if (!isError(error, 'NotFound')) throw error;
  });
}
