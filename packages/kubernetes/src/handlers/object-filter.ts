import type { KubeObject } from '@chandlery/api';

/** Whether a text is part of an object's name, namespace, given name, or of a label, in any letter case. */
export function textFilter(text: string): (object: KubeObject) => boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return () => true;
  const has = (candidate: unknown): boolean =>
    typeof candidate === 'string' && candidate.toLowerCase().includes(wanted);
  return object => {
    const { name, namespace, labels = {} } = object.metadata;
    if (has(name) || has(namespace) || has(displayNameOf(object))) return true;
    return Object.entries(labels).some(([key, value]) => has(`${key}=${value}`));
  };
}

/** The name that people gave an object whose own name is an id. Undefined: its name is its name. */
export function displayNameOf({ spec }: KubeObject): string | undefined {
  const { name } = (spec ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' && name !== '' ? name : undefined;
}
