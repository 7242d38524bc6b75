import type { Template, TemplateCall } from '../document/template.ts';
import type { WorkflowDocument } from '../document/workflow.ts';
import { addOutputs, type OutputsOptions } from './add-outputs.ts';
import type { ArgumentsProvider } from './bind-inputs.ts';
import { checkTags } from './check-tags.ts';

/** The document in which names of templates are looked up. */
export interface TemplateBase {
  /** `local/`, `namespaced/<name>` or `cluster/<name>`. */
  readonly scope: string;
  readonly document: WorkflowDocument;
}

/** What the checks of one document share. */
export interface Validation {
  /** Names that every template sees, with values or placeholders. Grows by global outputs. */
  readonly globals: Map<string, string>;
  readonly isStoredTemplate: boolean;
  readonly placeholder: () => string;
  /** Checks what a step, task or hook calls; undefined when that is known at run time only. */
  readonly checkCall: (call: TemplateCall, base: TemplateBase, given: ArgumentsProvider) => Template | undefined;
}

/** Refuses tags of a value that neither the scope nor all templates see. */
export function checkTagsIn(
  value: unknown,
  scope: ReadonlySet<string>,
  { globals, isStoredTemplate }: Validation,
): void {
  checkTags(value, { scope: new Set([...scope, ...globals.keys()]), isStoredTemplate });
}

export const addOutputsOf = (options: OutputsOptions, scope: Set<string>, { globals, placeholder }: Validation): void =>
  addOutputs(options, scope, globals, placeholder);

/** The scope of one call: that of its template, and the inputs of an inline template. */
export function scopeOfCall({ inline }: TemplateCall, scope: ReadonlySet<string>): Set<string> {
  return new Set([...scope, ...(inline?.inputs?.parameters ?? []).map(({ name }) => `inputs.parameters.${name}`)]);
}
