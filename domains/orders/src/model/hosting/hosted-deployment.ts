import { createHash } from 'node:crypto';
import type { KubeObject } from '@chandlery/api';
import { dynamicPortsAnnotation, isolationAnnotation, isolationByNamespaces } from '@chandlery/clusters/kinds';
import { ordersGroup } from '../../kinds/index.ts';
import type { DataProxyBinding } from '../../order-ports.ts';
import { orderAnnotations, orderLabels, workflowNamespace } from '../documents/order-document.ts';
import { accountUrn, urnOf } from '../urns.ts';
import type { HostedProcess } from './hosted-process.ts';

/** On Deployments and pods of hosted services: the UUID of the service. */
export const hostedLabel = `${ordersGroup}/hosted-service`;

/** On a Deployment: the digest of what it was made from. */
export const digestAnnotation = `${ordersGroup}/digest`;

/** The name of the port that the server listens on. */
export const hostedPort = 'http';

export const hostedContainer = 'main';

/** A start may take so long before the process is restarted. */
const maxStartSeconds = 600;
const graceSeconds = 30;

/** A service whose process is to run. */
export interface HostedService {
  readonly id: string;
  readonly tenant: string;
  readonly process: HostedProcess;
  /** What the data proxy adds to the container. */
  readonly binding: Pick<DataProxyBinding, 'env' | 'volumes' | 'volumeMounts'>;
}

/** Returns the name of the Deployment of a service. */
export const deploymentName = (service: string): string => `service-${service}`;

/**
 * Returns the Deployment that keeps the process of a service running. A new one is ready before the old one is stopped, and
 * one that ends is started again with a back-off.
 */
export function hostedDeployment(service: HostedService): KubeObject {
  const { id, tenant } = service;
  const spec = {
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    revisionHistoryLimit: 1,
    progressDeadlineSeconds: maxStartSeconds + graceSeconds,
    selector: { matchLabels: { [hostedLabel]: id } },
    template: podTemplate(service),
  };
  const digest = createHash('sha256').update(JSON.stringify(spec)).digest('hex');
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: deploymentName(id),
      namespace: workflowNamespace(tenant),
      labels: labelsOf(service),
      annotations: {
        [orderAnnotations.service]: urnOf('service', id),
        [orderAnnotations.account]: accountUrn(tenant),
        [digestAnnotation]: digest,
      },
    },
    spec,
  };
}

const labelsOf = ({ id, tenant }: HostedService): Record<string, string> => ({
  [hostedLabel]: id,
  [orderLabels.tenant]: tenant.slice(0, 63),
});

const podTemplate = (service: HostedService) => ({
  metadata: {
    labels: labelsOf(service),
    annotations: { [isolationAnnotation]: isolationByNamespaces, [dynamicPortsAnnotation]: hostedPort },
  },
  spec: {
    restartPolicy: 'Always',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: graceSeconds,
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    containers: [containerOf(service)],
    volumes: [...service.binding.volumes],
  },
});

function containerOf({ process, binding }: HostedService): object {
  const { image, command, port, resources, readyPath } = process;
  const probe = readyPath === undefined ? { tcpSocket: { port: hostedPort } } : httpProbe(readyPath);
  return {
    name: hostedContainer,
    image,
    ...(command.length > 0 && { command: [...command] }),
    imagePullPolicy: 'IfNotPresent',
    // The local node chooses the number, since all of its pods share one network.
    env: [...binding.env, { name: 'PORT', value: `$(PORT_${hostedPort.toUpperCase()})` }],
    ports: [{ name: hostedPort, containerPort: port }],
    resources,
    volumeMounts: [...binding.volumeMounts],
    startupProbe: { ...probe, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: maxStartSeconds },
    readinessProbe: { ...probe, periodSeconds: 10, timeoutSeconds: 5 },
  };
}

const httpProbe = (path: string): object => ({ httpGet: { path, port: hostedPort } });
