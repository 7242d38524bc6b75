import { parseFieldSelector } from '@chandlery/api';
import type { PathAttributes, ResourceAttributes } from '@chandlery/kernel';
import type { ResourcePath } from './request-path.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** The verbs that honour selectors; elsewhere one would only lend its name to another object. */
const collectionVerbs = new Set(['list', 'watch', 'deletecollection']);

/** What a request wants to do, in the words of RBAC. */
export function attributesOfResource(path: ResourcePath, method: string, query: URLSearchParams): ResourceAttributes {
  const verb =
    path.subresource !== undefined && method === 'POST'
      ? 'create'
      : (verbOf(path, method, query) ?? method.toLowerCase());
  const isNamespaceItself = path.group === '' && path.plural === 'namespaces' && path.name !== undefined;
  return {
    verb,
    group: path.group,
    resource: path.plural,
    ...(path.subresource === undefined ? {} : { subresource: path.subresource }),
    namespace: path.namespace ?? (isNamespaceItself ? (path.name ?? '') : ''),
    name: path.name ?? (collectionVerbs.has(verb) ? nameOfSelector(query) : ''),
  };
}

export const attributesOfPath = (path: string, method: string): PathAttributes => ({
  verb: method === 'HEAD' ? 'get' : method.toLowerCase(),
  path: path.length > 1 ? path.replace(/\/$/, '') : path,
});

/** The verb of a request on a resource; undefined for methods that it does not take. */
export function verbOf({ name }: ResourcePath, method: string, query: URLSearchParams): Verb | undefined {
  switch (method) {
    case 'GET':
      return isWatch(query) ? 'watch' : name === undefined ? 'list' : 'get';
    case 'POST':
      return name === undefined ? 'create' : undefined;
    case 'PUT':
      return name === undefined ? undefined : 'update';
    case 'PATCH':
      return name === undefined ? undefined : 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}

const isWatch = (query: URLSearchParams): boolean => ['true', '1'].includes(query.get('watch') ?? '');

/** A list of the one object that a field selector names counts as access to that object. */
function nameOfSelector(query: URLSearchParams): string {
  const text = query.get('fieldSelector') ?? '';
  if (!text.includes('metadata.name')) return '';
  try {
    return (
      parseFieldSelector(text).requirements.find(({ path, operator }) => path === 'metadata.name' && operator === '=')
        ?.value ?? ''
    );
  } catch {
    // The handler says what is wrong with the selector; here it names nothing.
    return '';
  }
}
