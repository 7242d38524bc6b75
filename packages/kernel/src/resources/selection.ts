import {
  badRequest,
  type FieldRequirement,
  type FieldSelector,
  type KubeObject,
  type LabelSelector,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from '@chandlery/api';
import { fieldTerm, labelTerm } from '../store/terms.ts';
import type { Target } from './request.ts';

/** Which objects of a collection a request means. */
export interface Selection {
  /** Undefined: all. */
  readonly namespace?: string;
  /** One object, when the field selector names it. */
  readonly name?: string;
  /** Index terms that narrow the candidates: at least one of every group. */
  readonly terms: readonly (readonly number[])[];
  /** Asked about objects as they are stored. Undefined when everything in namespace and of the name matches. */
  readonly matches: ((object: KubeObject) => boolean) | undefined;
  /** The same as `matches`, for those who know the labels alone. Undefined when more than labels decides. */
  readonly matchesLabels: ((labels: Readonly<Record<string, string>>) => boolean) | undefined;
}

export interface SelectorTexts {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Parses selectors against what the kind allows. */
export function selectObjects(target: Target, texts: SelectorTexts): Selection {
  const labels = parseLabelSelector(texts.labelSelector ?? '');
  const fields = parseFieldSelector(texts.fieldSelector ?? '');
  checkFields(target, fields);
  const exact = (path: string): string | undefined =>
    fields.requirements.find(({ path: p, operator }) => p === path && operator === '=')?.value;
  const namespace = namespaceOf(target, exact('metadata.namespace'));
  const name = target.name === '' ? exact('metadata.name') : target.name;
  const scope = { ...(namespace === undefined ? {} : { namespace }), ...(name === undefined ? {} : { name }) };
  const rest = { requirements: fields.requirements.filter(requirement => !isSettledBy(scope, requirement)) };
  return {
    ...scope,
    terms: [...labelTerms(target, labels), ...fieldTerms(target, rest)],
    matches: labels.requirements.length + rest.requirements.length === 0 ? undefined : matcher(target, labels, rest),
    matchesLabels: rest.requirements.length > 0 ? undefined : present => matchesLabels(labels, present),
  };
}

/** Cluster-scoped objects are all in the namespace without a name. */
function namespaceOf({ resource: { kind }, namespace }: Target, selected: string | undefined): string | undefined {
  if (!kind.isNamespaced) return '';
  return namespace === '' ? selected : namespace;
}

/** A selection of one namespace or name needs no check of each object. */
function isSettledBy(
  { namespace, name }: Pick<Selection, 'namespace' | 'name'>,
  { path, operator, value }: FieldRequirement,
): boolean {
  if (operator !== '=' || namespace === undefined) return false;
  return (path === 'metadata.namespace' && value === namespace) || (path === 'metadata.name' && value === name);
}

const metadataFields = new Set(['metadata.name', 'metadata.namespace']);

function checkFields({ resource: { version } }: Target, fields: FieldSelector): void {
  for (const { path } of fields.requirements) {
    if (!metadataFields.has(path) && version.selectableField(path) === undefined)
      throw badRequest(`field label not supported: ${path}`);
  }
}

function matcher(
  { resource: { version } }: Target,
  labels: LabelSelector,
  fields: FieldSelector,
): (object: KubeObject) => boolean {
  return object =>
    matchesLabels(labels, object.metadata.labels ?? {}) &&
    matchesFields(fields, path => {
      if (path === 'metadata.name') return object.metadata.name ?? '';
      if (path === 'metadata.namespace') return object.metadata.namespace ?? '';
      return version.selectableField(path)?.read(object) ?? '';
    });
}

function labelTerms({ cluster, resource: { kind } }: Target, labels: LabelSelector): number[][] {
  return labels.requirements
    .filter(({ operator }) => operator === 'In')
    .map(({ key, values }) => values.map(value => labelTerm(cluster, kind.stored.resource, key, value)));
}

function fieldTerms({ cluster, resource: { kind, version } }: Target, fields: FieldSelector): number[][] {
  return fields.requirements
    .filter(({ path, operator }) => operator === '=' && !metadataFields.has(path))
    .map(({ path, value }) => {
      const field = version.selectableField(path);
      const terms = value === field?.absent ? [value, ''] : [value];
      return terms.map(term => fieldTerm(cluster, kind.stored.resource, field?.path ?? path, term));
    });
}
