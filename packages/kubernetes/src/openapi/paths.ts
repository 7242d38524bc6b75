import type { ServedResource, ServedSubresource } from '../discovery/served-resource.ts';
import { camelGroup, capitalise, isOperationVerb, methodOf, type OperationVerb, operation } from './operation.ts';
import { logParameters, type Parameter, pathParameters } from './parameters.ts';
import { metaSchemaName, refTo, schemaName } from './schema-name.ts';

/** Where a group version's resources begin: `/api/v1`, `/apis/apps/v1`. */
export const basePath = ({ group, version }: Pick<ServedResource, 'group' | 'version'>): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** All paths of a resource with their operations. */
export function pathsOf(resource: ServedResource): Record<string, object> {
  const { plural, isNamespaced, verbs } = resource;
  const base = basePath(resource);
  const collection = isNamespaced ? `${base}/namespaces/{namespace}/${plural}` : `${base}/${plural}`;
  return withoutEmpty({
    ...(isNamespaced && verbs.includes('list') && { [`${base}/${plural}`]: allNamespaces(resource) }),
    [collection]: pathItem(pathParameters({ namespace: isNamespaced }), [
      ...collectionOperations(resource),
      ...refusedPatch(resource),
    ]),
    [`${collection}/{name}`]: pathItem(itemParameters(resource), itemOperations(resource)),
    ...Object.fromEntries(
      resource.subresources.map(part => [`${collection}/{name}/${part.name}`, subresource(resource, part)]),
    ),
  });
}

const withoutEmpty = (paths: Record<string, object | undefined>): Record<string, object> =>
  Object.fromEntries(Object.entries(paths).filter((entry): entry is [string, object] => entry[1] !== undefined));

type Operations = readonly (readonly [OperationVerb, object])[];

function pathItem(parameters: readonly Parameter[], operations: Operations): object | undefined {
  if (operations.length === 0) return undefined;
  return { ...Object.fromEntries(operations.map(([verb, content]) => [methodOf(verb), content])), parameters };
}

const itemParameters = ({ isNamespaced, kind }: ServedResource): readonly Parameter[] =>
  pathParameters({ namespace: isNamespaced, name: kind });

function idPrefix({ group, version }: ServedResource): string {
  return `${group === '' ? 'Core' : camelGroup(group)}${capitalise(version)}`;
}

const qualifiedKind = ({ isNamespaced, kind }: ServedResource): string => `${isNamespaced ? 'Namespaced' : ''}${kind}`;

const listRef = (resource: ServedResource) => refTo(schemaName({ ...resource, kind: resource.listKind }));

const common = (resource: ServedResource) => ({
  gvk: resource,
  body: refTo(schemaName(resource)),
  isStrategic: resource.declaration.allowsStrategicMerge ?? false,
});

function allNamespaces(resource: ServedResource): object | undefined {
  const list = operation({
    ...common(resource),
    verb: 'list',
    answer: listRef(resource),
    idSuffix: `${idPrefix(resource)}${resource.kind}ForAllNamespaces`,
    description: `Lists or watches objects of kind ${resource.kind} in all namespaces.`,
  });
  return pathItem(pathParameters({ namespace: false }), [['list', list]]);
}

const served = (resource: ServedResource, verbs: readonly OperationVerb[]): readonly OperationVerb[] =>
  verbs.filter(verb => resource.verbs.includes(verb));

function collectionOperations(resource: ServedResource): Operations {
  const answers = { list: listRef(resource), create: refTo(schemaName(resource)), deletecollection: statusRef };
  const verbs = served(resource, ['list', 'create', 'deletecollection']) as readonly (keyof typeof answers)[];
  return verbs.map(verb => {
    const middle = verb === 'deletecollection' ? 'Collection' : '';
    return [
      verb,
      operation({
        ...common(resource),
        verb,
        answer: answers[verb],
        idSuffix: `${idPrefix(resource)}${middle}${qualifiedKind(resource)}`,
        description: collectionTexts[verb](resource.kind),
      }),
    ];
  });
}

/**
 * kubectl looks for a PATCH to learn whether a kind takes fieldValidation, even before `create -f`. A kind that is only
 * ever created gets one to be found, which says that it is rejected.
 */
function refusedPatch(resource: ServedResource): Operations {
  if (!resource.verbs.includes('create') || resource.verbs.includes('patch')) return [];
  const content = operation({
    ...common(resource),
    verb: 'patch',
    answer: statusRef,
    idSuffix: `${idPrefix(resource)}${qualifiedKind(resource)}`,
    description: `Refused with 405: a ${resource.kind} can be created but not changed.`,
  });
  return [['patch', { ...content, deprecated: true, responses: { 405: { description: 'Method Not Allowed' } } }]];
}

const statusRef = refTo(metaSchemaName('Status'));

const collectionTexts = {
  list: (kind: string) => `Lists or watches objects of kind ${kind}.`,
  create: (kind: string) => `Creates a ${kind}.`,
  deletecollection: (kind: string) => `Deletes a collection of ${kind}.`,
};

const itemWords: Partial<Record<OperationVerb, string>> = {
  get: 'Reads',
  update: 'Replaces',
  patch: 'Changes',
  delete: 'Deletes',
  create: 'Creates',
};

function itemOperations(resource: ServedResource): Operations {
  return served(resource, ['get', 'update', 'patch', 'delete']).map(verb => [
    verb,
    operation({
      ...common(resource),
      verb,
      answer: verb === 'delete' ? statusRef : refTo(schemaName(resource)),
      idSuffix: `${idPrefix(resource)}${qualifiedKind(resource)}`,
      description: `${itemWords[verb]} the named ${resource.kind}.`,
    }),
  ]);
}

function subresource(resource: ServedResource, part: ServedSubresource): object | undefined {
  const reference = refTo(schemaName(part.responseKind));
  const operations = part.verbs.filter(isOperationVerb).map(verb => {
    const content = operation({
      ...common(resource),
      verb,
      gvk: part.responseKind,
      body: reference,
      answer: reference,
      idSuffix: `${idPrefix(resource)}${qualifiedKind(resource)}${capitalise(part.name)}`,
      description: `${itemWords[verb] ?? 'Answers'} ${part.name} of the named ${resource.kind}.`,
      ...(part.name === 'log' && { parameters: logParameters, isText: true }),
    });
    return [verb, content] as const;
  });
  return pathItem(itemParameters(resource), operations);
}
