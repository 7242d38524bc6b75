import type { Template, TemplateCall, TemplateKind, TemplateRef } from '../document/template.ts';
import type { StoredTemplates, WorkflowDocument } from '../document/workflow.ts';
import { type ArgumentsProvider, bindInputs } from './bind-inputs.ts';
import { checkDag } from './check-dag.ts';
import { checkInputs } from './check-inputs.ts';
import { checkLeaf } from './check-leaf.ts';
import { checkMetrics } from './check-metrics.ts';
import { checkOutputs } from './check-outputs.ts';
import { checkResourceClaims, checkTemplateResources } from './check-resources.ts';
import { checkSteps } from './check-steps.ts';
import { placeholderPattern } from './placeholders.ts';
import { refuse, within } from './problem.ts';
import { checkKind, isLeaf, isPod, kindNames } from './template-kind.ts';
import { checkTagsIn, type TemplateBase, type Validation } from './validation.ts';

const retryPolicies: readonly string[] = ['', 'Always', 'OnError', 'OnFailure', 'OnTransientError'];
const retryNames = ['retries', 'lastRetry.exitCode', 'lastRetry.status', 'lastRetry.duration', 'lastRetry.message'];
const maxDepth = 200;

export interface ValidatorOptions {
  readonly templates: StoredTemplates;
  readonly globals: Map<string, string>;
  readonly isStoredTemplate: boolean;
  readonly placeholder: () => string;
}

/** Checks templates with the scope that they will have, each once. */
export class TemplateValidator implements Validation {
  readonly globals: Map<string, string>;
  readonly isStoredTemplate: boolean;
  readonly placeholder: () => string;
  /** All templates that were reached. */
  readonly reached = new Set<Template>();
  readonly #templates: StoredTemplates;
  readonly #checked = new Set<string>();
  #depth = 0;

  constructor({ templates, globals, isStoredTemplate, placeholder }: ValidatorOptions) {
    this.#templates = templates;
    this.globals = globals;
    this.isStoredTemplate = isStoredTemplate;
    this.placeholder = placeholder;
  }

  readonly checkCall = (call: TemplateCall, base: TemplateBase, given: ArgumentsProvider): Template | undefined => {
    const found = this.#find(call, base);
    if (found === undefined) return undefined;
    if (templateTypeIsUnknown(found.template)) refuse(`template '${found.template.name ?? ''}' type is unknown`);
    const policy = found.template.retryStrategy?.retryPolicy ?? '';
    if (!retryPolicies.includes(policy)) refuse(`${policy} is not a valid RetryPolicy`);
    if (++this.#depth > maxDepth) refuse('templates are nested too deeply');
    this.#checkTemplate(found.template, found.base, given);
    this.#depth--;
    this.reached.add(found.template);
    return found.template;
  };

  #find(call: TemplateCall, base: TemplateBase): { template: Template; base: TemplateBase } | undefined {
    if (call.templateRef !== undefined) return this.#findReferenced(call, call.templateRef);
    if (call.inline !== undefined) return { template: call.inline, base };
    if (!call.template) return refuse('failed to get a template');
    const template = base.document.spec.templates?.find(({ name }) => name === call.template);
    if (template !== undefined) return { template, base };
    return refuse(`template name '${call.template}' undefined`);
  }

  #findReferenced(call: TemplateCall, reference: TemplateRef): { template: Template; base: TemplateBase } | undefined {
    const { name = '', template: wanted = '', clusterScope = false } = reference;
    if (call.template) refuse('template name cannot be specified with templateRef');
    if (name === '') refuse('resource name is required');
    if (wanted === '') refuse('template name is required');
    if ((name + wanted).includes('{{')) return undefined;
    const document = this.#templates.find(name, clusterScope);
    const template = document?.spec.templates?.find(candidate => candidate.name === wanted);
    if (document !== undefined && template !== undefined) return { template, base: baseOf(document, clusterScope) };
    return placeholderPattern.test(wanted) ? undefined : refuse(`template reference ${name}.${wanted} not found`);
  }

  #checkTemplate(template: Template, base: TemplateBase, given: ArgumentsProvider): void {
    const kind = checkKind(template);
    checkTemplateResources(template, kind);
    const scope = checkInputs(template, kind);
    if ((template.initContainers ?? []).some(({ name }) => !name))
      refuse('initContainers must all have container name');
    const locals = this.#localNames(template, kind);
    for (const name of locals) scope.add(name);
    addOwnOutputs(template, kind, scope);
    const values = new Map([...this.globals, ...locals.map(name => [name, this.placeholder()] as const)]);
    const bound = within(`templates.${template.name ?? ''} `, () => bindInputs(template, given, values));
    checkResourceClaims(bound, kind);
    checkTimeouts(bound, kind);
    const key = `${base.scope}#${template.name ?? ''}`;
    if (this.#checked.has(key)) return;
    this.#checked.add(key);
    this.#checkBody(bound, kind, base, new Set([...scope, ...this.globals.keys()]));
  }

  #localNames({ retryStrategy }: Template, kind: TemplateKind): string[] {
    return [...(isPod(kind) ? ['pod.name'] : []), ...(retryStrategy === undefined ? [] : retryNames)];
  }

  #checkBody(template: Template, kind: TemplateKind, base: TemplateBase, scope: Set<string>): void {
    const path = `templates.${template.name ?? ''}`;
    if (template.steps !== undefined || template.dag !== undefined) {
      if (template.activeDeadlineSeconds !== undefined)
        refuse(`${path}.activeDeadlineSeconds is only valid for leaf templates`);
      if (template.dag === undefined) checkSteps(template, base, scope, this);
      else checkDag(template, template.dag, base, scope, this);
    } else {
      within(`${path}: `, () => checkTagsIn(template, scope, this));
      checkLeaf(template, base.document);
    }
    checkOutputs(template, kind, {
      scope: new Set([...scope, ...this.globals.keys()]),
      isStoredTemplate: this.isStoredTemplate,
    });
    checkMetrics(template);
  }
}

const templateTypeIsUnknown = (template: Template): boolean =>
  Object.keys(kindNames).every(kind => template[kind] === undefined);

/** The base of a stored template. */
export const baseOf = (document: WorkflowDocument, clusterScope: boolean): TemplateBase => ({
  scope: `${clusterScope ? 'cluster' : 'namespaced'}/${document.metadata.name ?? ''}`,
  document,
});

function addOwnOutputs({ outputs }: Template, kind: TemplateKind, scope: Set<string>): void {
  if (!isLeaf(kind)) return;
  for (const { name, path } of outputs?.artifacts ?? []) if (path) scope.add(`outputs.artifacts.${name}.path`);
  for (const { name, valueFrom } of outputs?.parameters ?? [])
    if (valueFrom?.path) scope.add(`outputs.parameters.${name}.path`);
}

function checkTimeouts({ name = '', timeout = '', pendingTimeout = '' }: Template, kind: TemplateKind): void {
  if (timeout !== '' && !isLeaf(kind)) refuse(`${kindNames[kind]} template doesn't support timeout field`);
  if (/^[+-]?\d+$/.test(timeout)) refuse(`${name} has invalid duration format in timeout`);
  if (pendingTimeout !== '' && !isLeaf(kind))
    refuse(`${kindNames[kind]} template doesn't support pendingTimeout field`);
}
