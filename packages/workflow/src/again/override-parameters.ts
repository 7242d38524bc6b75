import type { WorkflowDocument } from '../document/workflow.ts';

/** The document with other values for some arguments. Those that it does not have are added. */
export function overrideParameters(
  document: WorkflowDocument,
  values: Readonly<Record<string, string>> | undefined,
): WorkflowDocument {
  if (values === undefined) return document;
  const { arguments: given = {} } = document.spec;
  const kept = (given.parameters ?? []).filter(({ name }) => !Object.hasOwn(values, name));
  const added = Object.entries(values).map(([name, value]) => ({ name, value }));
  const parameters = [...kept, ...added];
  return { ...document, spec: { ...document.spec, arguments: { ...given, parameters } } };
}
