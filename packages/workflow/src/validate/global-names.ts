import type { Arguments } from '../document/parameters.ts';
import type { WorkflowDocument, WorkflowSpec } from '../document/workflow.ts';

const always = [
  'workflow.name',
  'workflow.namespace',
  'workflow.mainEntrypoint',
  'workflow.serviceAccountName',
  'workflow.uid',
  'workflow.status',
  'workflow.annotations',
  'workflow.annotations.json',
  'workflow.labels',
  'workflow.labels.json',
];

/** What every template of a document may refer to, with values where they are known. */
export function globalNames(
  { metadata, spec }: WorkflowDocument,
  referenced: WorkflowSpec | undefined,
  { parameters = [] }: Arguments,
  placeholder: () => string,
): Map<string, string> {
  const names = new Map(always.map(name => [name, placeholder()]));
  if (parameters.length > 0) {
    names.set('workflow.parameters', placeholder());
    names.set('workflow.parameters.json', placeholder());
  }
  for (const { name, value } of parameters) names.set(`workflow.parameters.${name}`, value ?? placeholder());
  const sources = [metadata, spec.workflowMetadata ?? {}, referenced?.workflowMetadata ?? {}];
  for (const source of sources) {
    for (const key of Object.keys(source.annotations ?? {})) names.set(`workflow.annotations.${key}`, placeholder());
    const labelsFrom = 'labelsFrom' in source ? (source.labelsFrom ?? {}) : {};
    for (const key of Object.keys({ ...source.labels, ...labelsFrom }))
      names.set(`workflow.labels.${key}`, placeholder());
  }
  if (spec.priority !== undefined) names.set('workflow.priority', String(spec.priority));
  return names;
}
