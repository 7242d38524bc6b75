import type { KindDeclaration } from '@chandlery/api';
import type { ServedResource } from '../discovery/served-resource.ts';
import { kindSchema, listSchema } from './kind-schemas.ts';
import { pathsOf } from './paths.ts';
import { schemaName } from './schema-name.ts';

/** What one resource adds to the document of its group version, as text that is ready to be joined. */
export interface ResourceFragment {
  /** Members of `paths`, without braces; empty when there are none. */
  readonly paths: string;
  /** Schemas by name. */
  readonly schemas: readonly (readonly [name: string, json: string])[];
}

/** Declarations never change, so each version is rendered once: a group of a thousand kinds is not rendered again for one of them. */
const fragments = new WeakMap<KindDeclaration, Map<string, ResourceFragment>>();

/** True when the fragment can be had at once. */
export const isRendered = ({ declaration, version }: ServedResource): boolean =>
  fragments.get(declaration)?.has(version) === true;

/** The fragment of a resource. */
export function fragmentOf(resource: ServedResource): ResourceFragment {
  const { declaration, version } = resource;
  const versions = fragments.get(declaration) ?? new Map<string, ResourceFragment>();
  fragments.set(declaration, versions);
  const known = versions.get(version);
  if (known !== undefined) return known;
  const fragment = renderFragment(resource);
  versions.set(version, fragment);
  return fragment;
}

function renderFragment(resource: ServedResource): ResourceFragment {
  const { verbs, listKind } = resource;
  const list = [schemaName({ ...resource, kind: listKind }), JSON.stringify(listSchema(resource))] as const;
  return {
    paths: JSON.stringify(pathsOf(resource)).slice(1, -1),
    schemas: [
      ...(verbs.includes('list') ? [list] : []),
      [schemaName(resource), JSON.stringify(kindSchema(resource))] as const,
    ],
  };
}
