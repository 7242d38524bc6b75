import type { GroupVersionKind } from '@chandlery/api';
import { gvkOf } from './kind-schemas.ts';
import { type Parameter, parametersOf } from './parameters.ts';
import { metaSchemaName, refTo, type SchemaReference } from './schema-name.ts';

/** Kubernetes' verbs that are operations of their own; `watch` is a parameter of `list`. */
export type OperationVerb = keyof typeof parametersOf;

interface VerbTraits {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As `x-kubernetes-action` says it. */
  readonly action: string;
  /** How operation ids begin. */
  readonly word: string;
  readonly codes: readonly number[];
}

const traits: Record<OperationVerb, VerbTraits> = {
  get: { method: 'get', action: 'get', word: 'read', codes: [200] },
  list: { method: 'get', action: 'list', word: 'list', codes: [200] },
  create: { method: 'post', action: 'post', word: 'create', codes: [200, 201, 202] },
  update: { method: 'put', action: 'put', word: 'replace', codes: [200, 201] },
  patch: { method: 'patch', action: 'patch', word: 'patch', codes: [200, 201] },
  delete: { method: 'delete', action: 'delete', word: 'delete', codes: [200, 202] },
  deletecollection: { method: 'delete', action: 'deletecollection', word: 'delete', codes: [200] },
};

const statusTexts: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

export interface OperationRequest {
  readonly verb: OperationVerb;
  /** The kind that the operation is about. */
  readonly gvk: GroupVersionKind;
  /** What follows the verb in the operation id. */
  readonly idSuffix: string;
  readonly description: string;
  /** What is sent by create and update. */
  readonly body: SchemaReference;
  /** What is answered. */
  readonly answer: SchemaReference;
  /** Strategic merge patches are accepted. */
  readonly isStrategic: boolean;
  /** Beyond those of the verb. */
  readonly parameters?: readonly Parameter[];
  /** The answer is text instead of an object. */
  readonly isText?: boolean;
}

/** True for the verbs that have an operation. */
export const isOperationVerb = (verb: string): verb is OperationVerb => Object.hasOwn(traits, verb);

/** The HTTP method of a verb. */
export const methodOf = (verb: OperationVerb): string => traits[verb].method;

/** One operation of the document. */
export function operation(request: OperationRequest): object {
  const { verb, gvk } = request;
  const { action, word, codes } = traits[verb];
  const requestBody = bodyOf(request);
  return {
    tags: [tagOf(gvk)],
    description: request.description,
    operationId: `${word}${request.idSuffix}`,
    parameters: [...parametersOf[verb], ...(request.parameters ?? [])],
    ...(requestBody && { requestBody }),
    responses: {
      ...Object.fromEntries(codes.map(code => [code, { description: statusTexts[code], content: answerOf(request) }])),
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvkOf(gvk),
  };
}

const tagOf = ({ group, version }: GroupVersionKind): string =>
  `${group === '' ? 'core' : camelGroup(group, false)}_${version}`;

/** A group as operation ids spell it: `rbac.authorization.k8s.io` is RbacAuthorization. */
export function camelGroup(group: string, isUpper = true): string {
  const words = group.replace(/\.k8s\.io$/, '').split(/[.-]/);
  return words.map((word, index) => (index > 0 || isUpper ? capitalise(word) : word)).join('');
}

/** The word with its first letter in upper case. */
export const capitalise = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

function answerOf({ verb, answer, isText }: OperationRequest): object {
  if (isText) return { 'text/plain': { schema: { type: 'string' } } };
  const types = ['application/json', 'application/yaml', ...(verb === 'list' ? ['application/json;stream=watch'] : [])];
  return contentOf(types, answer);
}

function bodyOf({ verb, body, isStrategic }: OperationRequest): object | undefined {
  switch (verb) {
    case 'create':
    case 'update':
      return { required: true, content: contentOf(['application/json', 'application/yaml'], body) };
    case 'patch':
      return { required: true, content: contentOf(patchTypes(isStrategic), refTo(metaSchemaName('Patch'))) };
    case 'delete':
    case 'deletecollection':
      return { content: contentOf(['application/json'], refTo(metaSchemaName('DeleteOptions'))) };
    case 'get':
    case 'list':
      return undefined;
  }
}

/** kubectl reads from this list whether it may send a strategic merge patch. */
const patchTypes = (isStrategic: boolean): string[] => [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  ...(isStrategic ? ['application/strategic-merge-patch+json'] : []),
];

const contentOf = (types: readonly string[], schema: SchemaReference): object =>
  Object.fromEntries(types.map(type => [type, { schema }]));
