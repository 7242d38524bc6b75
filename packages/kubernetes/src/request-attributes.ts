import { type PathAttributes, type ResourceAttributes, resourceAttributes, type Verb } from '@chandlery/kernel';
import type { ResourcePath } from './request-path.ts';

/** The attributes of a request on a resource that authorisation decides by. */
export function attributesOfResource(path: ResourcePath, method: string, query: URLSearchParams): ResourceAttributes {
  const verb =
    path.subresource !== undefined && method === 'POST'
      ? 'create'
      : (verbOf(path, method, query) ?? method.toLowerCase());
  return resourceAttributes(verb, path, query.get('fieldSelector') ?? '');
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
