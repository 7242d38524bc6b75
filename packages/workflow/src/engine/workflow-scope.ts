import { goJson } from '../document/go-json.ts';
import { podNameOf } from '../document/node-ids.ts';
import type { Outputs, Parameter } from '../document/parameters.ts';
import type { WorkflowMetadata, WorkflowSpec } from '../document/workflow.ts';
import { noConfigMapText, parametersJson, type ReadConfigMap } from '../template/bind-arguments.ts';
import { makeInert } from '../template/inert.ts';
import { isUnder, type Scope, type ScopeValue } from '../template/scope.ts';
import { creationTimeValues, goTime } from './go-time.ts';
import { isFailed, type NodeStatus } from './node-status.ts';

export interface WorkflowIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Milliseconds since the epoch. */
  readonly creationTime: number;
}

export interface WorkflowScopeOptions {
  readonly identity: WorkflowIdentity;
  readonly metadata: WorkflowMetadata;
  readonly spec: WorkflowSpec;
  readonly readConfigMap: ReadConfigMap;
  /** Values that come from outside the document must not act as tags. */
  readonly hasInertValues: boolean;
}

/** Values that change while the workflow runs. */
const lateKeys: readonly string[] = ['workflow.status', 'workflow.duration', 'workflow.failures'];

/** The values `workflow.…`, which every template sees. */
export class WorkflowScope implements Scope {
  /** Undefined before the workflow runs: what the spec says about its end is substituted then. */
  status: string | undefined;
  startedAt: number | undefined;
  now = 0;
  /** Why the workflow cannot begin: a parameter has no value. */
  problem: string | undefined;
  /** Reads the nodes for `workflow.failures`. */
  listNodes: () => Iterable<NodeStatus> = () => [];
  readonly #values = new Map<string, ScopeValue>();
  readonly #name: string;
  readonly #inert: (text: string) => string;

  constructor(options: WorkflowScopeOptions) {
    this.#name = options.identity.name;
    this.#inert = options.hasInertValues ? makeInert : text => text;
    this.#setIdentity(options);
    this.#setParameters(options);
    this.#setMetadata('labels', options.metadata.labels, options.spec.workflowMetadata?.labels);
    this.#setMetadata('annotations', options.metadata.annotations, options.spec.workflowMetadata?.annotations);
  }

  readonly get = (key: string): ScopeValue | undefined => {
    if (!lateKeys.includes(key)) return this.#values.get(key);
    if (this.status === undefined) return undefined;
    if (key === 'workflow.status') return this.status;
    return key === 'workflow.duration' ? this.#duration() : this.#failures();
  };

  readonly time = (): number => this.now;

  readonly keysUnder = (prefix: string): Iterable<string> =>
    [...this.#values.keys(), ...(this.status === undefined ? [] : lateKeys)].filter(key => isUnder(key, prefix));

  /** Makes the outputs with a globalName visible. */
  setOutputs(outputs: Outputs): void {
    for (const { name, value } of outputs.parameters ?? []) {
      if (value !== undefined) this.#values.set(`workflow.outputs.parameters.${name}`, this.#inert(value));
    }
    for (const artifact of outputs.artifacts ?? []) {
      this.#values.set(`workflow.outputs.artifacts.${artifact.name}`, artifact);
    }
  }

  #setIdentity({ identity, metadata, spec }: WorkflowScopeOptions): void {
    const set = (key: string, value: string): unknown => this.#values.set(`workflow.${key}`, value);
    set('name', identity.name);
    set('namespace', identity.namespace);
    set('uid', identity.uid);
    set('mainEntrypoint', spec.entrypoint ?? '');
    set('serviceAccountName', spec.serviceAccountName ?? '');
    if (spec.priority !== undefined) set('priority', String(spec.priority));
    for (const [key, value] of creationTimeValues(identity.creationTime)) set(`creationTimestamp${key}`, value);
    const scheduled = metadata.annotations?.['workflows.argoproj.io/scheduled-time'];
    if (scheduled !== undefined) set('scheduledTime', scheduled);
  }

  #setParameters({ spec, readConfigMap }: WorkflowScopeOptions): void {
    const parameters = (spec.arguments?.parameters ?? []).map(parameter => this.#inertParameter(parameter));
    const json = parametersJson(spec.arguments?.parameters === undefined ? undefined : parameters);
    this.#values.set('workflow.parameters', json);
    this.#values.set('workflow.parameters.json', json);
    for (const parameter of parameters) {
      const value = valueOf(parameter, readConfigMap);
      if (value === undefined) this.problem ??= `failed to set global parameters: ${noValueText(parameter)}`;
      else this.#values.set(`workflow.parameters.${parameter.name}`, this.#inert(value));
    }
  }

  #inertParameter(parameter: Parameter): Parameter {
    return parameter.value === undefined ? parameter : { ...parameter, value: this.#inert(parameter.value) };
  }

  #setMetadata(
    kind: 'labels' | 'annotations',
    own: Readonly<Record<string, string>> | undefined,
    added: Readonly<Record<string, string>> | undefined,
  ): void {
    const json = goJson(own === undefined ? null : { ...own });
    this.#values.set(`workflow.${kind}`, json);
    this.#values.set(`workflow.${kind}.json`, json);
    for (const [key, value] of Object.entries({ ...own, ...added })) this.#values.set(`workflow.${kind}.${key}`, value);
  }

  #duration(): string {
    return ((this.now - (this.startedAt ?? this.now)) / 1000).toFixed(6);
  }

  /** A list of the nodes that failed, as JSON within a string of JSON. */
  #failures(): string {
    const failures = [...this.listNodes()].filter(isFailed).map(node => ({
      displayName: node.displayName,
      message: node.message ?? '',
      templateName: node.templateName ?? node.templateRef?.template ?? '',
      phase: node.phase,
      podName: podNameOf(this.#name, node.name, node.templateName ?? node.templateRef?.template),
      finishedAt: node.finishedAt === undefined ? null : goTime(Date.parse(node.finishedAt)),
    }));
    return JSON.stringify(failures.length === 0 ? 'null' : JSON.stringify(failures));
  }
}

function valueOf({ value, valueFrom }: Parameter, readConfigMap: ReadConfigMap): string | undefined {
  if (value !== undefined) return value;
  const reference = valueFrom?.configMapKeyRef;
  if (reference === undefined) return undefined;
  return readConfigMap(reference.name ?? '', reference.key) ?? valueFrom?.default;
}

function noValueText({ name, valueFrom }: Parameter): string {
  const reference = valueFrom?.configMapKeyRef;
  if (reference === undefined) {
    return `either value or valueFrom must be specified in order to set global parameter ${name}`;
  }
  const { name: map = '', key } = reference;
  return `failed to set global parameter ${name} from configmap with name ${map} and key ${key}: ${noConfigMapText(map)}`;
}
