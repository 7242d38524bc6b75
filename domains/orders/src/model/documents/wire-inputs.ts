import type { Parameter, Template, TemplateCall, WorkflowSpec } from '@chandlery/workflow';

/** A document in which parameters of the service reach the templates that ask for them. */
export interface WiredSpec {
  readonly spec: WorkflowSpec;
  /** `first-task: message`, for each argument that was added. */
  readonly wired: readonly string[];
}

/**
 * Gives steps and tasks the arguments that they leave out: a template's required input that has the name of a parameter of
 * the service gets the argument of the workflow. Argo itself rejects such documents.
 */
export function wireInputs(spec: WorkflowSpec, parameters: ReadonlySet<string>): WiredSpec {
  const byName = new Map((spec.templates ?? []).map(template => [template.name, template]));
  const wired: string[] = [];
  const wireCall = <C extends TemplateCall>(call: C): C => {
    const target = call.inline ?? byName.get(call.template ?? '');
    const given = call.arguments?.parameters ?? [];
    const missing = requiredInputs(target).filter(
      name => parameters.has(name) && !given.some(parameter => parameter.name === name),
    );
    const inline = call.inline && { inline: wireTemplate(call.inline) };
    if (missing.length === 0) return { ...call, ...inline };
    wired.push(...missing.map(name => `${call.name}: ${name}`));
    const added = missing.map(name => ({ name, value: `{{workflow.parameters.${name}}}` }));
    return { ...call, ...inline, arguments: { ...call.arguments, parameters: [...given, ...added] } };
  };
  const wireTemplate = (template: Template): Template => ({
    ...template,
    ...(Array.isArray(template.steps) && {
      steps: template.steps.map(group => (Array.isArray(group) ? group.map(wireCall) : group)),
    }),
    ...(Array.isArray(template.dag?.tasks) && { dag: { ...template.dag, tasks: template.dag.tasks.map(wireCall) } }),
  });
  const templates = spec.templates?.map(wireTemplate);
  return { spec: { ...spec, ...(templates && { templates }) }, wired };
}

const requiredInputs = (template: Template | undefined): readonly string[] =>
  (template?.inputs?.parameters ?? []).filter(isRequired).map(({ name }) => name);

const isRequired = ({ value, default: fallback, valueFrom }: Parameter): boolean =>
  value === undefined && fallback === undefined && valueFrom === undefined;
