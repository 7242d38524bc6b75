import { createHash } from 'node:crypto';
import type { Container, Parameter, Template, WorkflowDocument, WorkflowSpec } from '@chandlery/workflow';
import { ordersGroup, workflowAnnotations } from '../../kinds/index.ts';
import type { DataProxyBinding } from '../../order-ports.ts';
import { accountUrn, urnOf } from '../urns.ts';
import type { PlatformProfile, WorkflowPlan } from './plan.ts';

/** Labels and annotations by which Workflows of orders are found. */
export const orderLabels = {
  order: `${ordersGroup}/order`,
  service: `${ordersGroup}/service`,
  tenant: `${ordersGroup}/tenant`,
  /** The number of the run of a standing order. */
  run: `${ordersGroup}/run`,
} as const;

export const orderAnnotations = {
  order: `${ordersGroup}/order-urn`,
  service: `${ordersGroup}/service-urn`,
  account: `${ordersGroup}/account-urn`,
  name: `${ordersGroup}/name`,
} as const;

/** The output parameter by which a node returns what it wrote to the result path. */
export const resultOutput = 'ivcap-result';

/** Which order a document is for. */
export interface DocumentOrder {
  /** The UUID. */
  readonly id: string;
  readonly tenant: string;
  readonly name?: string | undefined;
  /** The UUID of the service. */
  readonly service: string;
  /** Of a standing order. Default: the order is executed once. */
  readonly run?: number | undefined;
  /** The UUID of the queue that a standing order processes. */
  readonly queue?: string | undefined;
}

const maxNameLength = 63;

/** Returns the namespace on the platform cluster in which the Workflows of a tenant run. */
export function workflowNamespace(tenant: string): string {
  const name = `orders-${tenant}`;
  if (name.length <= maxNameLength) return name;
  const digest = createHash('sha256').update(tenant).digest('hex').slice(0, 10);
  return `${name.slice(0, maxNameLength - digest.length - 1)}-${digest}`;
}

/** Returns the name of an order's Workflow: always the same, so that a repeated submit finds the first. */
export const workflowName = ({ id, run }: Pick<DocumentOrder, 'id' | 'run'>): string =>
  run === undefined ? `order-${id}` : `order-${id}-${run}`;

export interface DocumentParts {
  readonly plan: WorkflowPlan;
  readonly order: DocumentOrder;
  readonly profile: PlatformProfile;
  /** Returns what the data proxy adds to a template. */
  readonly bind: (template: { readonly name: string }) => DataProxyBinding;
}

/** Returns the Workflow of an order: the plan with what the platform decides. */
export function orderDocument({ plan, order, profile, bind }: DocumentParts): WorkflowDocument {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: {
      name: workflowName(order),
      namespace: workflowNamespace(order.tenant),
      labels: { ...withoutOurs(plan.labels), ...labelsOf(order) },
      annotations: { ...withoutOurs(plan.annotations), ...annotationsOf(order) },
    },
    spec: platformSpec(plan.spec, profile, bind),
  };
}

function platformSpec(spec: WorkflowSpec, profile: PlatformProfile, bind: DocumentParts['bind']): WorkflowSpec {
  const volumes = bind({ name: spec.entrypoint ?? '' }).volumes;
  const names = new Set(volumes.map(({ name }) => name));
  return {
    ...spec,
    templates: (spec.templates ?? []).map(template => bindTemplate(template, bind)),
    volumes: [...(spec.volumes ?? []).filter(({ name }) => !names.has(name)), ...volumes],
    activeDeadlineSeconds: Math.min(
      numberOr(spec.activeDeadlineSeconds, profile.deadlineSeconds),
      profile.deadlineSeconds,
    ),
    ttlStrategy: { secondsAfterCompletion: profile.ttlSeconds },
    automountServiceAccountToken: false,
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  };
}

const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Adds to the containers of a template what the data proxy needs. Templates without containers stay as they are. */
function bindTemplate(template: Template, bind: DocumentParts['bind']): Template {
  const binding = bind({ name: template.name ?? '' });
  const nested = bindCalls(template, bind);
  if (template.containerSet !== undefined)
    return {
      ...nested,
      containerSet: {
        ...template.containerSet,
        containers: (template.containerSet.containers ?? []).map(container => bindContainer(container, binding)),
      },
    };
  const { container, script } = template;
  if (container === undefined && script === undefined) return nested;
  return {
    ...nested,
    ...(container && { container: bindContainer(container, binding) }),
    ...(script && { script: bindContainer(script, binding) }),
    ...(binding.sidecars.length > 0 && { sidecars: [...(template.sidecars ?? []), ...binding.sidecars] }),
    ...(Object.keys(binding.annotations).length > 0 && {
      metadata: { ...template.metadata, annotations: { ...template.metadata?.annotations, ...binding.annotations } },
    }),
    outputs: { ...template.outputs, parameters: withResult(template.outputs?.parameters ?? [], binding.resultPath) },
  };
}

/** Templates that steps and tasks have inline. */
function bindCalls(template: Template, bind: DocumentParts['bind']): Template {
  const bindCall = <C extends { readonly inline?: Template }>(call: C): C =>
    call.inline === undefined ? call : { ...call, inline: bindTemplate(call.inline, bind) };
  return {
    ...template,
    ...(Array.isArray(template.steps) && {
      steps: template.steps.map(group => (Array.isArray(group) ? group.map(bindCall) : group)),
    }),
    ...(Array.isArray(template.dag?.tasks) && { dag: { ...template.dag, tasks: template.dag.tasks.map(bindCall) } }),
  };
}

function bindContainer<C extends Container>(container: C, { env, volumeMounts }: DataProxyBinding): C {
  const names = new Set(env.map(({ name }) => name));
  const authored = container.volumeMounts ?? [];
  const paths = new Set(authored.map(({ mountPath }) => mountPath));
  return {
    ...container,
    env: [...(container.env ?? []).filter(({ name }) => !names.has(name)), ...env],
    volumeMounts: [...authored, ...volumeMounts.filter(({ mountPath }) => !paths.has(mountPath))],
  };
}

/** A node that writes no result returns an empty one. */
function withResult(parameters: readonly Parameter[], path: string): Parameter[] {
  if (parameters.some(({ valueFrom }) => valueFrom?.path === path)) return [...parameters];
  return [...parameters, { name: resultOutput, valueFrom: { path, default: '' } }];
}

const withoutOurs = (given: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !/(^|\.)chandlery\.io\//.test(name)));

const labelsOf = ({ id, tenant, service, run }: DocumentOrder): Record<string, string> => ({
  [orderLabels.order]: id,
  [orderLabels.service]: service,
  [orderLabels.tenant]: tenant.slice(0, maxNameLength),
  ...(run !== undefined && { [orderLabels.run]: String(run) }),
});

const annotationsOf = ({ id, tenant, service, name }: DocumentOrder): Record<string, string> => ({
  [orderAnnotations.order]: urnOf('order', id),
  [orderAnnotations.service]: urnOf('service', service),
  [orderAnnotations.account]: accountUrn(tenant),
  [workflowAnnotations.inertValues]: 'true',
  ...(name !== undefined && { [orderAnnotations.name]: name }),
});
