import { compileJsonPath, type ErrorCause, fieldCause, isError, type StructuralSchema } from '@chandlery/api';
import type { CrdVersion, CustomResourceDefinition } from '../registry/kind-of-crd.ts';
import { checkRules, checkStructural } from '../schema/index.ts';

const labelPattern = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const kindPattern = /^[A-Z][A-Za-z0-9]{0,62}$/;
const groupPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

type Warn = (text: string) => void;

/** Everything that makes a CRD unacceptable, beyond the form that its own schema says. `warn` hears of what is only odd. */
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
    if (name !== undefined && !kindPattern.test(name)) {
      causes.push(
        fieldCause.invalid(
          `spec.names.${field}`,
          name,
          'must be CamelCase: letters and digits, starting in upper case',
        ),
      );
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
  version.selectableFields?.forEach(({ jsonPath }, index) => {
    causes.push(...pathCauses(`${field}.selectableFields[${index}].jsonPath`, jsonPath));
  });
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
