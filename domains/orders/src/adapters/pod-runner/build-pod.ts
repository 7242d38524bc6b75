import type { KubeObject } from '@chandlery/api';
import type { Container, EnvVar, Template, Volume } from '@chandlery/workflow';
import { argoApiVersion, workflowAnnotations, workflowLabels, workflowsGroup } from '../../kinds/workflows/index.ts';
import type { StartRequest } from '../../workflow-ports.ts';
import { mainContainersOf, mountsOf, scriptPath } from './declared-paths.ts';
import { orderedContainers } from './ordered-containers.ts';

/** Holds a pod until its logs and outputs are stored. */
export const podFinalizer = `${workflowsGroup}/outputs`;

/** On a pod: the uid of its workflow. */
export const workflowUidLabel = `${workflowsGroup}/workflow-uid`;

export interface PodParts {
  readonly request: StartRequest;
  readonly annotations: Readonly<Record<string, string>>;
  /** Volumes that the pod's node makes: Secrets, ConfigMaps, claims. */
  readonly volumes: readonly Volume[];
  /** Variables of every container. Default: none but Argo's. */
  readonly env?: readonly EnvVar[];
}

const graceSeconds = 30;

/** The pod that executes a node. */
export function buildPod(parts: PodParts): KubeObject {
  const { workflow, action } = parts.request;
  const { template } = action;
  const sidecars = (template.sidecars ?? []).map(container => ({
    ...podContainer(parts, container),
    restartPolicy: 'Always',
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: action.podName,
      namespace: workflow.namespace,
      labels: {
        ...template.metadata?.labels,
        [workflowLabels.workflow]: workflow.name.slice(0, 63),
        [workflowLabels.completed]: 'false',
        [workflowUidLabel]: workflow.uid,
      },
      annotations: {
        ...template.metadata?.annotations,
        [workflowAnnotations.nodeId]: action.nodeId,
        [workflowAnnotations.nodeName]: action.node,
        ...parts.annotations,
      },
      finalizers: [podFinalizer],
      ownerReferences: [
        { apiVersion: argoApiVersion, kind: 'Workflow', name: workflow.name, uid: workflow.uid, controller: true },
      ],
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: graceSeconds,
      initContainers: [
        ...(template.initContainers ?? []).map(container => podContainer(parts, container)),
        ...sidecars,
      ],
      containers: containersOfPod(parts),
      volumes: parts.volumes,
    },
  };
}

function containersOfPod(parts: PodParts): readonly object[] {
  const { template } = parts.request.action;
  const containers = mainContainersOf(template).map(container =>
    podContainer(parts, template.script === undefined ? container : withScript(container)),
  );
  return template.containerSet === undefined ? containers : orderedContainers(template.containerSet, containers);
}

/** The script's file is the last argument. */
const withScript = (container: Container & { name: string }) => ({
  ...container,
  args: [...(container.args ?? []), scriptPath],
});

/** Fields of a container that a pod takes over as they are. */
const takenFields = [
  'image',
  'command',
  'args',
  'workingDir',
  'envFrom',
  'resources',
  'imagePullPolicy',
  'ports',
  'readinessProbe',
  'securityContext',
] as const;

export interface PodContainer {
  readonly name: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly [field: string]: unknown;
}

function podContainer(parts: PodParts, container: Container & { name: string }): PodContainer {
  const { template } = parts.request.action;
  const taken = takenFields.filter(field => container[field] !== undefined).map(field => [field, container[field]]);
  const names = new Set(parts.volumes.map(({ name }) => name));
  const volumeMounts = mountsOf(template, container).filter(({ name }) => names.has(name));
  return {
    name: container.name,
    ...Object.fromEntries(taken),
    env: [...(container.env ?? []), ...argoVariables(parts, container.name)],
    ...(volumeMounts.length > 0 && { volumeMounts }),
  };
}

function argoVariables({ request: { workflow, action }, env = [] }: PodParts, container: string): readonly EnvVar[] {
  return [
    { name: 'ARGO_CONTAINER_NAME', value: container },
    { name: 'ARGO_NODE_ID', value: action.nodeId },
    { name: 'ARGO_POD_NAME', value: action.podName },
    { name: 'ARGO_WORKFLOW_NAME', value: workflow.name },
    { name: 'ARGO_WORKFLOW_UID', value: workflow.uid },
    { name: 'ARGO_TEMPLATE', value: templateText(action.template) },
    ...env,
  ];
}

/** Variables have limits; a template that is larger is not given. */
const maxTemplateBytes = 64 * 1024;

function templateText(template: Template): string {
  const text = escapeReferences(JSON.stringify(template));
  return text.length > maxTemplateBytes ? '' : text;
}

/** `$(NAME)` in the value of a variable would be replaced. */
const escapeReferences = (text: string): string => text.replaceAll('$(', '$$(');
