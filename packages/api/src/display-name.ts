import type { KubeObject } from './object.ts';

/** What people call an object whose name is for machines. */
export const displayNameAnnotation = 'openmcp.cloud/display-name';

/** The name that people gave an object, in its spec or in an annotation. Undefined: its name is its name. */
export function displayNameOf({ spec, metadata }: KubeObject): string | undefined {
  const { name } = (spec ?? {}) as { readonly name?: unknown };
  return [name, metadata.annotations?.[displayNameAnnotation]].find(
    (given): given is string => typeof given === 'string' && given !== '',
  );
}
