import { mergeFields } from '../document/merge-workflow-template.ts';
import { type Template, type TemplateRef, templateKindOf, templateKinds } from '../document/template.ts';
import type { StoredTemplates, WorkflowDocument } from '../document/workflow.ts';
import { WorkflowError } from '../errors.ts';

/** A reference to a template: by name, in another document, or written in place. */
export interface TemplateHolder {
  readonly template?: string | undefined;
  readonly templateRef?: TemplateRef | undefined;
  readonly inline?: Template | undefined;
}

/** Where names of templates are looked up: in the workflow, or in a stored document. */
export interface TemplateContext {
  /** As the status shows it: `local/<workflow>`, `namespaced/<name>`, `cluster/<name>`. */
  readonly scope: string;
  readonly templates: ReadonlyMap<string, Template>;
}

export interface ResolvedTemplate {
  readonly template: Template;
  /** Where the template's own references are looked up. */
  readonly context: TemplateContext;
}

export const contextOf = (scope: string, document: WorkflowDocument): TemplateContext => ({
  scope,
  templates: new Map((document.spec.templates ?? []).map(template => [template.name ?? '', template])),
});

/** Finds templates of a workflow and of stored documents, with the workflow's templateDefaults merged into them. */
export class TemplateResolver {
  readonly #stored: StoredTemplates;
  readonly #defaults: Template | undefined;
  readonly #contexts = new Map<string, TemplateContext>();
  readonly #merged = new WeakMap<Template, Template>();

  constructor(stored: StoredTemplates, defaults: Template | undefined) {
    this.#stored = stored;
    this.#defaults = defaults;
  }

  resolve(holder: TemplateHolder, context: TemplateContext): ResolvedTemplate {
    if (holder.inline !== undefined) return { template: this.#withDefaults(holder.inline), context };
    const { templateRef } = holder;
    const target = templateRef === undefined ? context : this.#contextOf(templateRef);
    const name = templateRef === undefined ? (holder.template ?? '') : (templateRef.template ?? '');
    const template = target.templates.get(name);
    if (template === undefined) throw new WorkflowError('invalid-document', `template name '${name}' undefined`);
    return { template: this.#withDefaults(template), context: target };
  }

  #contextOf(reference: TemplateRef): TemplateContext {
    const isCluster = reference.clusterScope === true;
    const scope = `${isCluster ? 'cluster' : 'namespaced'}/${reference.name ?? ''}`;
    const known = this.#contexts.get(scope);
    if (known !== undefined) return known;
    const document = this.#stored.find(reference.name ?? '', isCluster);
    if (document === undefined) {
      const kind = isCluster ? 'clusterworkflowtemplates' : 'workflowtemplates';
      throw new WorkflowError('invalid-document', `${kind}.argoproj.io "${reference.name ?? ''}" not found`);
    }
    const context = contextOf(scope, document);
    this.#contexts.set(scope, context);
    return context;
  }

  #withDefaults(template: Template): Template {
    if (this.#defaults === undefined) return template;
    const known = this.#merged.get(template);
    if (known !== undefined) return known;
    const kind = templateKindOf(template);
    const foreign = new Set<string>(templateKinds.filter(other => other !== kind));
    const defaults = Object.fromEntries(Object.entries(this.#defaults).filter(([key]) => !foreign.has(key)));
    const merged = mergeFields(defaults, template) as Template;
    this.#merged.set(template, merged);
    return merged;
  }
}
