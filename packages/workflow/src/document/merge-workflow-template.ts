import { WorkflowError } from '../errors.ts';
import { isFields } from './parse-workflow.ts';
import type { StoredTemplates, WorkflowDocument } from './workflow.ts';

type Fields = Record<string, unknown>;

/** Lists whose items are merged by a key; other lists are replaced whole. */
const listKeys: Readonly<Record<string, string>> = {
  parameters: 'name',
  artifacts: 'name',
  templates: 'name',
  volumes: 'name',
  sidecars: 'name',
  initContainers: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
};

/** The document as it is executed: with the spec of its workflowTemplateRef below its own. */
export function mergeWorkflowTemplate(document: WorkflowDocument, stored: StoredTemplates): WorkflowDocument {
  const reference = document.spec.workflowTemplateRef;
  if (reference === undefined) return document;
  const template = stored.find(reference.name, reference.clusterScope === true);
  if (template === undefined) {
    const kind = reference.clusterScope === true ? 'clusterworkflowtemplates' : 'workflowtemplates';
    throw new WorkflowError('invalid-document', `${kind}.argoproj.io "${reference.name}" not found`);
  }
  return { ...document, spec: mergeFields(template.spec, document.spec) };
}

/** A strategic merge: fields of `over` win, objects are merged, lists with a known key too. Nothing given is changed. */
export function mergeFields(under: object, over: object): Fields {
  const merged: Fields = { ...(under as Fields) };
  for (const [key, value] of Object.entries(over as Fields)) {
    const below = merged[key];
    if (isFields(value) && isFields(below)) merged[key] = mergeFields(below, value);
    else if (Array.isArray(value) && Array.isArray(below)) merged[key] = mergeLists(key, below, value);
    else if (value !== undefined) merged[key] = value;
  }
  return merged;
}

function mergeLists(name: string, under: readonly unknown[], over: readonly unknown[]): unknown[] {
  const key = listKeys[name];
  if (key === undefined) return [...over];
  const merged = new Map<unknown, unknown>();
  for (const item of over) if (isFields(item)) merged.set(item[key], item);
  for (const item of under) {
    if (!isFields(item)) continue;
    const upper = merged.get(item[key]);
    merged.set(item[key], isFields(upper) ? mergeParameter(item, upper) : item);
  }
  return [...merged.values()];
}

/** A value given above replaces the source given below, and the other way round. */
function mergeParameter(under: Fields, over: Fields): Fields {
  const merged = mergeFields(under, over);
  if (over['value'] !== undefined && over['valueFrom'] === undefined) delete merged['valueFrom'];
  if (over['valueFrom'] !== undefined && over['value'] === undefined) delete merged['value'];
  return merged;
}
