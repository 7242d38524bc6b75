import { apiError, type ErrorCause, fieldCause, type JsonValue, type KubeObject } from '@chandlery/api';
import type { CompiledKind, CompiledVersion } from '../registry/compiled-kind.ts';
import type { Endpoint } from '../resources/ownership.ts';
import type { Target } from '../resources/request.ts';
import { asKubeObject } from '../resources/shape.ts';

const maxFieldManagerLength = 128;

/** What is wrong with the name of a field manager; undefined for a valid one. */
export function fieldManagerCause(manager: string): ErrorCause | undefined {
  if (manager.length > maxFieldManagerLength) return fieldCause.tooLong('fieldManager', maxFieldManagerLength);
  if (/^[\x20-\x7e]*$/.test(manager)) return undefined;
  return fieldCause.invalid('fieldManager', manager, 'must only contain printable characters');
}

/** The field manager of a client that names none: the product of its user agent. */
export const fieldManagerOfAgent = (userAgent = 'unknown'): string =>
  userAgent.split('/', 1)[0]?.slice(0, maxFieldManagerLength) || 'unknown';

/** The object of a body. The address implies the type of a built-in kind; an object of a custom kind must state it. */
export function objectOfBody({ crd, kind, version }: Target['resource'], body: JsonValue): KubeObject {
  return asKubeObject(body, crd === undefined ? { apiVersion: version.apiVersion, kind: kind.kind } : undefined);
}

/** Whether an address fits the scope of a kind: namespaced objects need their namespace, collections do not. */
export const fitsScope = (
  { isNamespaced }: CompiledKind,
  { namespace, name = '' }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
): boolean => (isNamespaced ? namespace !== undefined || name === '' : namespace === undefined);

const genericVerbs: readonly string[] = ['get', 'update', 'patch'];

/** The verbs of a sub-resource; undefined when the version does not serve it. */
export function subresourceVerbs({ declaration }: CompiledVersion, subresource: string): readonly string[] | undefined {
  const { status = false, scale, others = [] } = declaration.subresources ?? {};
  const isGeneric = (subresource === 'status' && status) || (subresource === 'scale' && scale !== undefined);
  return others.find(({ name }) => name === subresource)?.verbs ?? (isGeneric ? genericVerbs : undefined);
}

/** The endpoint that a sub-resource is for reads and writes of the object itself. */
export function endpointOf(subresource = ''): Exclude<Endpoint, 'scale'> {
  if (subresource === '' || subresource === 'status' || subresource === 'finalize') return subresource;
  throw apiError('NotFound', `the server could not find the requested sub-resource "${subresource}"`);
}
