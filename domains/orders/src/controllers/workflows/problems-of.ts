import type { KubeObject } from '@chandlery/api';
import { parseWorkflow, validateWorkflow } from '@chandlery/workflow';
import { type FindTemplate, referencedTemplates, storedTemplatesOf } from './stored-templates.ts';

/** Says why a Workflow cannot be executed, in Argo's words; empty when it can. */
export function problemsOf(workflow: KubeObject, findTemplate: FindTemplate): readonly string[] {
  const templates = storedTemplatesOf(referencedTemplates(workflow['spec'], findTemplate));
  const document = parseWorkflow({ ...workflow, apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow' });
  return validateWorkflow(document, { templates, artifactDrivers: ['raw', 's3'] });
}
