import type { ArtifactDriver } from '../document/artifact-location.ts';
import type { Arguments } from '../document/parameters.ts';
import type { TemplateCall } from '../document/template.ts';
import {
  noStoredTemplates,
  type StoredTemplates,
  type WorkflowDocument,
  type WorkflowSpec,
} from '../document/workflow.ts';
import { messageOf, WorkflowError } from '../errors.ts';
import { hasTag } from './add-outputs.ts';
import { anyArguments, providerOf } from './bind-inputs.ts';
import { checkArguments } from './check-arguments.ts';
import { checkHooks } from './check-hooks.ts';
import { checkNames, fieldNameProblem } from './check-names.ts';
import { checkPodCleanup, checkPodResources } from './check-resources.ts';
import { checkArtifacts, checkSupported } from './check-supported.ts';
import { globalNames } from './global-names.ts';
import { createPlaceholders } from './placeholders.ts';
import { Problem, refuse, within } from './problem.ts';
import { TemplateValidator } from './template-validator.ts';
import type { TemplateBase } from './validation.ts';

const maxNameLength = 63;

export interface ValidateOptions {
  /** Where templates are found that the document refers to. Default: there are none. */
  readonly templates?: StoredTemplates;
  /** Drivers of artifacts that are configured. Default: `raw` alone, besides the default repository. */
  readonly artifactDrivers?: readonly ArtifactDriver[];
  /** Workflow parameters may lack a value, as when a document is only looked at. Default false. */
  readonly isLint?: boolean;
}

/**
 * Says why a Workflow, WorkflowTemplate or ClusterWorkflowTemplate cannot be executed, in the words of Argo; empty when it
 * can. Validation ends at the first problem, so there is at most one message.
 */
export function validateWorkflow(document: WorkflowDocument, options: ValidateOptions = {}): readonly string[] {
  try {
    new DocumentCheck(document, options).run();
    return [];
  } catch (error) {
    if (error instanceof Problem || error instanceof WorkflowError) return [messageOf(error)];
    // A document that is nested deeper than any that could be executed.
    if (error instanceof RangeError) return ['templates are nested too deeply'];
    throw error;
  }
}

class DocumentCheck {
  readonly #document: WorkflowDocument;
  readonly #options: ValidateOptions;
  readonly #templates: StoredTemplates;
  readonly #isStoredTemplate: boolean;
  /** The spec of the workflowTemplateRef. */
  readonly #referenced: WorkflowSpec | undefined;
  readonly #arguments: Arguments;
  readonly #validator: TemplateValidator;

  constructor(document: WorkflowDocument, options: ValidateOptions) {
    this.#document = document;
    this.#options = options;
    this.#templates = options.templates ?? noStoredTemplates;
    this.#isStoredTemplate = document.kind !== 'Workflow';
    checkNameLength(document);
    this.#referenced = this.#findReferenced();
    this.#arguments = mergeArguments(document.spec.arguments ?? {}, this.#referenced?.arguments ?? {});
    const placeholder = createPlaceholders();
    this.#validator = new TemplateValidator({
      templates: this.#templates,
      globals: globalNames(document, this.#referenced, this.#arguments, placeholder),
      isStoredTemplate: this.#isStoredTemplate,
      placeholder,
    });
  }

  run(): void {
    const { spec } = this.#document;
    within('spec.templates', () => checkNames(spec.templates, fieldNameProblem));
    checkArguments('spec.arguments.', this.#arguments, this.#options.isLint === true || this.#isStoredTemplate);
    this.#checkEntrypoint();
    this.#checkExitHandler();
    checkHooks(spec.hooks, 'hooks');
    checkPodCleanup(spec['podGC']);
    checkPodResources('spec.podResources', spec['podResources']);
    this.#checkAllTemplates();
    const drivers = this.#options.artifactDrivers ?? ['raw'];
    checkArtifacts('spec.arguments.artifacts', this.#arguments.artifacts, drivers);
    checkSupported(this.#validator.reached, drivers);
  }

  #findReferenced(): WorkflowSpec | undefined {
    const reference = this.#document.spec.workflowTemplateRef;
    if (reference === undefined) return undefined;
    if ((this.#document.spec.templates ?? []).length > 0) {
      refuse('Templates is invalid field in spec if workflow referred WorkflowTemplate reference');
    }
    const isCluster = reference.clusterScope === true;
    const plural = isCluster ? 'clusterworkflowtemplates' : 'workflowtemplates';
    const found = this.#templates.find(reference.name, isCluster);
    return found?.spec ?? refuse(`${plural}.argoproj.io "${reference.name}" not found`);
  }

  #checkEntrypoint(): void {
    const entrypoint = this.#document.spec.entrypoint || this.#referenced?.entrypoint || '';
    if (entrypoint === '' && this.#isStoredTemplate) return;
    if (entrypoint === '') refuse('spec.entrypoint is required');
    const { placeholder } = this.#validator;
    const given = this.#isStoredTemplate ? anyArguments(placeholder) : providerOf(this.#arguments);
    this.#validator.checkCall(this.#callOf(entrypoint), this.#base, given);
  }

  #checkExitHandler(): void {
    const onExit = this.#document.spec.onExit || this.#referenced?.onExit;
    if (!onExit) return;
    const { globals, placeholder } = this.#validator;
    globals.set('workflow.failures', placeholder());
    const templates = [...(this.#document.spec.templates ?? []), ...(this.#referenced?.templates ?? [])];
    const hasOpenName = templates.some(({ outputs }) =>
      outputs?.artifacts?.some(({ globalName = '' }) => hasTag(globalName)),
    );
    if (hasOpenName) globals.set('workflow.outputs.artifacts.*', placeholder());
    this.#validator.checkCall(this.#callOf(onExit), this.#base, providerOf(this.#document.spec.arguments ?? {}));
  }

  #checkAllTemplates(): void {
    for (const { name = '' } of this.#referenced?.templates ?? this.#document.spec.templates ?? []) {
      within(`templates.${name} `, () =>
        this.#validator.checkCall(this.#callOf(name), this.#base, anyArguments(this.#validator.placeholder)),
      );
    }
  }

  get #base(): TemplateBase {
    return { scope: 'local/', document: this.#document };
  }

  /** The call of a template of the document, or of the one that it refers to. */
  #callOf(template: string): TemplateCall {
    const reference = this.#document.spec.workflowTemplateRef;
    if (reference === undefined) return { name: '', template };
    return { name: '', templateRef: { name: reference.name, template, clusterScope: reference.clusterScope === true } };
  }
}

const kindTitles: Readonly<Record<string, string>> = {
  WorkflowTemplate: 'workflow template',
  ClusterWorkflowTemplate: 'cluster workflow template',
};

function checkNameLength({ kind, metadata: { name = '' } }: WorkflowDocument): void {
  if (name.length <= maxNameLength) return;
  const title = kindTitles[kind] ?? 'workflow';
  refuse(`${title} name "${name}" must not be more than ${maxNameLength} characters long (currently ${name.length})`);
}

/** Arguments of the document, and those of its reference that it does not give. */
function mergeArguments(own: Arguments, below: Arguments): Arguments {
  const merge = <T extends { readonly name: string }>(upper: readonly T[] = [], lower: readonly T[] = []): T[] => [
    ...upper,
    ...lower.filter(({ name }) => !upper.some(item => item.name === name)),
  ];
  return { parameters: merge(own.parameters, below.parameters), artifacts: merge(own.artifacts, below.artifacts) };
}
