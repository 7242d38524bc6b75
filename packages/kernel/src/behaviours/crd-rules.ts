import { compileJsonPath, type ErrorCause, fieldCause, isError, type StructuralSchema } from '@chandlery/api';
import type { CrdVersion, CustomResourceDefinition } from '../registry/kind-of-crd.ts';
import { checkRules, checkStructural } from '../schema/index.ts';

const labelPattern = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const groupPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

type Warn = (text: string) => void;

/** Everything that makes a CRD unacceptable beyond its own schema. `warn` is called for what is accepted with a warning. */
export function crdCauses(crd: CustomResourceDefinition, warn: Warn): ErrorCause[] {
  const { spec, metadata } = crd;
  const causes: ErrorCause[] = [];
  if (!groupPattern.test(spec.group))
    causes.push(fieldCause.invalid('spec.group', spec.group, 'should be a domain with at least one dot'));
  causes.push(...nameCauses(crd));
  const expected = `${spec.names.plural}.${spec.group}`;
  if (metadata.name !== expected) {
    causes.push(
      fieldCause.invalid('metadata.name', metadata.name, `must be spec.names.plural+"."+spec.group: "${expected}"`),
    );
  }
  if (spec.preserveUnknownFields) causes.push(fieldCause.invalid('spec.preserveUnknownFields', true, 'must be false'));
  const strategy = spec.conversion?.strategy ?? 'None';
  if (strategy !== 'None') causes.push(fieldCause.notSupported('spec.conversion.strategy', strategy, ['None']));
  return [...causes, ...versionsCauses(spec.versions, warn)];
}

function nameCauses({ spec: { names } }: CustomResourceDefinition): ErrorCause[] {
  const causes: ErrorCause[] = [];
  const lower = [
    ['plural', names.plural],
    ['singular', names.singular],
    ...(names.shortNames ?? []).map((name, index) => [`shortNames[${index}]`, name]),
    ...(names.categories ?? []).map((name, index) => [`categories[${index}]`, name]),
  ] as [string, string | undefined][];
  for (const [field, name] of lower) {
    if (name !== undefined && !labelPattern.test(name)) {
      causes.push(
        fieldCause.invalid(`spec.names.${field}`, name, 'must be a lower case word: letters, digits and "-"'),
      );
    }
  }
  for (const field of ['kind', 'listKind'] as const) {
    const name = names[field];
    // Kinds are compared by their lower-case form, which has to be a DNS label; CamelCase is a convention.
    if (name !== undefined && !labelPattern.test(name.toLowerCase())) {
      const rule = 'may have mixed case, but should otherwise match: a DNS label that starts with a letter';
      causes.push(fieldCause.invalid(`spec.names.${field}`, name, rule));
    }
  }
  return causes;
}

function versionsCauses(versions: readonly CrdVersion[], warn: Warn): ErrorCause[] {
  if (versions.length === 0)
    return [fieldCause.required('spec.versions', 'must have exactly one version marked as storage version')];
  const causes = versions.flatMap((version, index) => versionCauses(`spec.versions[${index}]`, version, warn));
  const names = versions.map(({ name }) => name);
  for (const name of duplicatesOf(names)) causes.push(fieldCause.duplicate('spec.versions', name));
  if (versions.filter(({ storage }) => storage).length !== 1) {
    causes.push(fieldCause.invalid('spec.versions', names, 'must have exactly one version marked as storage version'));
  }
  return causes;
}

function duplicatesOf(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(names.filter(name => seen.size === seen.add(name).size));
}

function versionCauses(field: string, version: CrdVersion, warn: Warn): ErrorCause[] {
  const causes: ErrorCause[] = [];
  if (!labelPattern.test(version.name))
    causes.push(fieldCause.invalid(`${field}.name`, version.name, 'must be a DNS label that starts with a letter'));
  const schema = version.schema?.openAPIV3Schema;
  if (schema === undefined) causes.push(fieldCause.required(`${field}.schema.openAPIV3Schema`, 'schemas are required'));
  else causes.push(...schemaCauses(schema, `${field}.schema.openAPIV3Schema`, warn));
  version.additionalPrinterColumns?.forEach((column, index) => {
    causes.push(...pathCauses(`${field}.additionalPrinterColumns[${index}].jsonPath`, column.jsonPath));
  });
  causes.push(...selectableCauses(version.selectableFields ?? [], schema, `${field}.selectableFields`));
  const scale = version.subresources?.scale;
  if (scale !== undefined) {
    if (!scale.specReplicasPath.startsWith('.spec.'))
      causes.push(scalePathCause(field, 'specReplicasPath', scale.specReplicasPath, '.spec'));
    if (!scale.statusReplicasPath.startsWith('.status.')) {
      causes.push(scalePathCause(field, 'statusReplicasPath', scale.statusReplicasPath, '.status'));
    }
  }
  return causes;
}

const maxSelectableFields = 8;

/** Fields that selectors may use are few, are scalars that the schema knows, and are not of metadata. */
function selectableCauses(
  fields: readonly { readonly jsonPath: string }[],
  schema: StructuralSchema | undefined,
  field: string,
): ErrorCause[] {
  const causes: ErrorCause[] = [];
  if (fields.length > maxSelectableFields) causes.push(fieldCause.tooMany(field, fields.length, maxSelectableFields));
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = `${field}[${index}].jsonPath`;
    const problem = selectableProblem(jsonPath, schema);
    if (problem !== undefined) causes.push(fieldCause.invalid(at, jsonPath, problem));
    else if (seen.has(jsonPath)) causes.push(fieldCause.duplicate(at, jsonPath));
    seen.add(jsonPath);
  }
  return causes;
}

function selectableProblem(path: string, schema: StructuralSchema | undefined): string | undefined {
  if (!/^(\.[A-Za-z_][\w-]*)+$/.test(path)) return 'must be a simple json path with . notation, such as .spec.color';
  const names = path.slice(1).split('.');
  if (names[0] === 'metadata') return 'must not point to fields in metadata';
  let found = schema;
  for (const name of names) {
    const fields: StructuralSchema['properties'] = found?.properties;
    found = fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
  }
  if (found === undefined) return 'is an invalid path: does not exist';
  const isScalar = found.type === 'string' || found.type === 'boolean' || found.type === 'integer';
  return isScalar ? undefined : 'must point to a field of type string, boolean or integer';
}

/** Rules are looked at only where the schema says what they speak of. */
function schemaCauses(schema: StructuralSchema, field: string, warn: Warn): readonly ErrorCause[] {
  const structural = checkStructural(schema, field);
  if (structural.length > 0) return structural;
  const { causes, warnings } = checkRules(schema, field);
  for (const warning of warnings) warn(warning);
  return causes;
}

const scalePathCause = (field: string, name: string, path: string, root: string): ErrorCause =>
  fieldCause.invalid(`${field}.subresources.scale.${name}`, path, `should be a json path under ${root}`);

function pathCauses(field: string, path: string): ErrorCause[] {
  try {
    compileJsonPath(path);
    return [];
  } catch (error) {
    if (!isError(error)) throw error;
    return [fieldCause.invalid(field, path, error.message)];
  }
}
