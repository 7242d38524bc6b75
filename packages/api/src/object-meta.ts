import { fieldCause } from './api-errors.ts';
import type { ErrorCause } from './errors.ts';
import { type NameRule, validateDnsLabel, validateLabelValue, validateName, validateQualifiedName } from './names.ts';
import type { ObjectMeta, OwnerReference } from './object.ts';

/** All annotations of an object together, keys and values, in bytes. */
export const maxAnnotationBytes = 256 * 1024;

/** More than any object has; each of them is a key of `managedFields`. */
const maxFinalizers = 30_000;

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** Default `dns-subdomain`. */
  readonly nameRule?: NameRule;
}

/** Everything that may be wrong with an object's metadata, whatever its kind. Expects the right types already. */
export function validateObjectMeta(meta: ObjectMeta, { namespaced, nameRule }: ObjectMetaRules): ErrorCause[] {
  return [
    ...checkNames(meta, nameRule ?? 'dns-subdomain'),
    ...checkNamespace(meta.namespace ?? '', namespaced),
    ...checkLabels(meta.labels ?? {}),
    ...checkAnnotations(meta.annotations ?? {}),
    ...checkFinalizers(meta.finalizers ?? []),
    ...checkOwners(meta.ownerReferences ?? []),
  ];
}

/** More causes are not reported: a response must stay small. */
const maxCauses = 50;

const invalidEach = (field: string, value: unknown, errors: readonly string[]): ErrorCause[] =>
  errors.map(error => fieldCause.invalid(field, value, error));

function checkNames({ name = '', generateName = '' }: ObjectMeta, rule: NameRule): ErrorCause[] {
  const prefixErrors =
    generateName === ''
      ? []
      : invalidEach('metadata.generateName', generateName, validateName(generateName, rule, true));
  const nameErrors =
    name === ''
      ? [fieldCause.required('metadata.name', 'name or generateName is required')]
      : invalidEach('metadata.name', name, validateName(name, rule));
  return [...prefixErrors, ...nameErrors];
}

function checkNamespace(namespace: string, namespaced: boolean): ErrorCause[] {
  const field = 'metadata.namespace';
  if (!namespaced) return namespace === '' ? [] : [fieldCause.forbidden(field, 'not allowed on this type')];
  if (namespace === '') return [fieldCause.required(field)];
  return invalidEach(field, namespace, validateDnsLabel(namespace));
}

function checkLabels(labels: Readonly<Record<string, string>>): ErrorCause[] {
  const field = 'metadata.labels';
  const causes: ErrorCause[] = [];
  // With `Object.entries` a map of many labels would take several times as long.
  for (const key of Object.keys(labels)) {
    const value = labels[key] ?? '';
    for (const error of validateQualifiedName(key)) causes.push(fieldCause.invalid(field, key, error));
    for (const error of validateLabelValue(value)) causes.push(fieldCause.invalid(field, value, error));
    if (causes.length >= maxCauses) break;
  }
  return causes;
}

/** Keys may use upper case in the prefix, other than those of labels. */
function checkAnnotations(annotations: Readonly<Record<string, string>>): ErrorCause[] {
  const field = 'metadata.annotations';
  const causes: ErrorCause[] = [];
  let bytes = 0;
  for (const key of Object.keys(annotations)) {
    const value = annotations[key] ?? '';
    if (causes.length < maxCauses) causes.push(...invalidEach(field, key, validateQualifiedName(key.toLowerCase())));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > maxAnnotationBytes) causes.push(fieldCause.tooLong(field, maxAnnotationBytes));
  return causes;
}

function checkFinalizers(finalizers: readonly string[]): ErrorCause[] {
  const field = 'metadata.finalizers';
  if (finalizers.length > maxFinalizers) return [fieldCause.tooMany(field, finalizers.length, maxFinalizers)];
  const causes: ErrorCause[] = [];
  for (const finalizer of finalizers) {
    causes.push(...invalidEach(field, finalizer, validateQualifiedName(finalizer)));
    if (causes.length >= maxCauses) break;
  }
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
    causes.push(fieldCause.invalid(field, finalizers, detail));
  }
  return causes;
}

function checkOwners(owners: readonly OwnerReference[]): ErrorCause[] {
  const causes = owners.flatMap(checkOwner);
  const [first, second] = owners.filter(owner => owner.controller === true);
  if (first === undefined || second === undefined) return causes;
  const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first.name} and ${second.name}`;
  return [...causes, fieldCause.invalid('metadata.ownerReferences', owners, detail)];
}

const ownerFields = { apiVersion: 'version', kind: 'kind', name: 'name', uid: 'uid' } as const;

function checkOwner(owner: OwnerReference): ErrorCause[] {
  const causes: ErrorCause[] = [];
  for (const [field, word] of Object.entries(ownerFields) as [keyof typeof ownerFields, string][]) {
    const value: string | undefined = owner[field];
    if (value !== undefined && value !== '') continue;
    causes.push(fieldCause.invalid(`metadata.ownerReferences.${field}`, '', `${word} must not be empty`));
  }
  return causes;
}
