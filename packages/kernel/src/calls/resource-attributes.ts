import { parseFieldSelector } from '@chandlery/api';
import type { ResourceAttributes } from '../access/rbac.ts';

/** The verbs of requests on resources, by the names that RBAC gives them. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** The address of a request: a collection, an object or a sub-resource of an object. */
export interface ResourceAddress {
  readonly group: string;
  readonly plural: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The verbs that honour selectors. For others a selector must not lend its name to another object. */
const collectionVerbs: ReadonlySet<string> = new Set<Verb>(['list', 'watch', 'deletecollection']);

/** The attributes of a request that authorisation decides by. */
export function resourceAttributes(verb: string, address: ResourceAddress, fieldSelector = ''): ResourceAttributes {
  const { group, plural, subresource, namespace, name } = address;
  const isNamespaceItself = group === '' && plural === 'namespaces';
  return {
    verb,
    group,
    resource: plural,
    ...(subresource === undefined ? {} : { subresource }),
    namespace: namespace ?? (isNamespaceItself ? (name ?? '') : ''),
    name: name ?? (collectionVerbs.has(verb) ? selectedName(fieldSelector) : ''),
  };
}

/** A list of the one object that a field selector names counts as access to that object. */
function selectedName(fieldSelector: string): string {
  if (!fieldSelector.includes('metadata.name')) return '';
  try {
    const { requirements } = parseFieldSelector(fieldSelector);
    return requirements.find(({ path, operator }) => path === 'metadata.name' && operator === '=')?.value ?? '';
  } catch {
    // The verb rejects the selector with the reason; for authorisation it names no object.
    return '';
  }
}
