import type { KubeObject } from '@chandlery/api';
import { parseWorkflow, type StoredTemplates, type WorkflowDocument } from '@chandlery/workflow';

type Fields = Readonly<Record<string, unknown>>;

/** Finds a WorkflowTemplate of a namespace, or a ClusterWorkflowTemplate. */
export type FindTemplate = (name: string, isClusterScoped: boolean) => KubeObject | undefined;

interface TemplateReference {
  readonly name: string;
  readonly isClusterScoped: boolean;
}

/** All stored templates that a spec refers to, directly or through others, by `cluster/<name>` or `namespace/<name>`. */
export function referencedTemplates(spec: unknown, find: FindTemplate): Readonly<Record<string, Fields>> {
  const found: Record<string, Fields> = {};
  const pending = [...referencesIn(spec)];
  for (let reference = pending.pop(); reference !== undefined; reference = pending.pop()) {
    const key = keyOfReference(reference);
    const object = found[key] === undefined ? find(reference.name, reference.isClusterScoped) : undefined;
    if (object === undefined) continue;
    const { apiVersion, kind, metadata, spec: inner } = object as KubeObject & { spec?: Fields };
    found[key] = { apiVersion, kind, metadata: { name: metadata.name }, spec: inner ?? {} };
    pending.push(...referencesIn(inner));
  }
  return found;
}

/** The templates as the engine looks them up. */
export function storedTemplatesOf(templates: Readonly<Record<string, unknown>>): StoredTemplates {
  const documents = new Map<string, WorkflowDocument>();
  return {
    find: (name, isClusterScoped) => {
      const key = keyOfReference({ name, isClusterScoped });
      const known = documents.get(key);
      const stored = templates[key];
      if (known !== undefined || stored === undefined) return known;
      const document = parseWorkflow(stored as object);
      documents.set(key, document);
      return document;
    },
  };
}

const keyOfReference = ({ name, isClusterScoped }: TemplateReference): string =>
  `${isClusterScoped ? 'cluster' : 'namespace'}/${name}`;

function* referencesIn(value: unknown): Generator<TemplateReference> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, field] of Object.entries(value)) {
    const { name, clusterScope } = (field ?? {}) as { name?: unknown; clusterScope?: unknown };
    const isReference = key === 'templateRef' || key === 'workflowTemplateRef';
    if (isReference && typeof name === 'string') yield { name, isClusterScoped: clusterScope === true };
    else yield* referencesIn(field);
  }
}
