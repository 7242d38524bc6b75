import type { KubeObject } from '@chandlery/api';
import { parseWorkflow, validateWorkflow } from '@chandlery/workflow';
import { artifactDrivers, workflowAnnotations } from '../../kinds/workflows/index.ts';
import { type FindTemplate, referencedTemplates, storedTemplatesOf } from './stored-templates.ts';

/** Says why a Workflow cannot be executed, in Argo's words; empty when it can. */
export function problemsOf(workflow: KubeObject, findTemplate: FindTemplate): readonly string[] {
  const templates = storedTemplatesOf(referencedTemplates(workflow['spec'], findTemplate));
  const document = parseWorkflow({
    ...withoutInertValues(workflow),
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
  });
  return validateWorkflow(document, { templates, artifactDrivers });
}

interface WithArguments {
  readonly arguments?: { readonly parameters?: readonly object[] };
}

/** Values that are never read as tags are no part of what is checked, whatever braces they have. */
function withoutInertValues(workflow: KubeObject): KubeObject {
  if (workflow.metadata.annotations?.[workflowAnnotations.inertValues] !== 'true') return workflow;
  const spec = (workflow['spec'] ?? {}) as WithArguments;
  const given = spec.arguments?.parameters;
  if (!Array.isArray(given)) return workflow;
  const parameters = given.map((parameter: object) => ('value' in parameter ? { ...parameter, value: '' } : parameter));
  return { ...workflow, spec: { ...spec, arguments: { ...spec.arguments, parameters } } };
}
