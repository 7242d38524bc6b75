import { type ArtifactDriver, driverOf, repositoryKeyOf } from '../document/artifact-location.ts';
import type { Artifact } from '../document/parameters.ts';
import type { Template } from '../document/template.ts';
import { refuse } from './problem.ts';

const unsupportedKinds = ['resource', 'data', 'plugin'] as const;

/** Refuses what is valid and cannot be executed here: kinds of templates, and drivers of artifacts that are not configured. */
export function checkSupported(templates: Iterable<Template>, drivers: readonly ArtifactDriver[]): void {
  for (const template of templates) {
    const path = `templates.${template.name ?? ''}`;
    const kind = unsupportedKinds.find(candidate => template[candidate] !== undefined);
    if (kind !== undefined) refuse(`${path}: ${kind} templates are not supported`);
    checkArtifacts(`${path}.inputs.artifacts`, template.inputs?.artifacts, drivers);
    checkArtifacts(`${path}.outputs.artifacts`, template.outputs?.artifacts, writableOf(drivers));
    for (const call of [...(template.steps ?? []).flat(), ...(template.dag?.tasks ?? [])]) {
      checkArtifacts(`${path}.${call.name}.arguments.artifacts`, call.arguments?.artifacts, drivers);
      if (call.inline !== undefined) checkSupported([call.inline], drivers);
    }
  }
}

/** By HTTP artifacts are only read. */
const writableOf = (drivers: readonly ArtifactDriver[]): readonly ArtifactDriver[] =>
  drivers.filter(driver => driver !== 'http');

/** Refuses artifacts whose driver is not configured. */
export function checkArtifacts(
  path: string,
  artifacts: readonly Artifact[] | undefined,
  drivers: readonly ArtifactDriver[],
): void {
  for (const artifact of artifacts ?? []) {
    const driver = driverOf(artifact);
    if (driver !== undefined && !drivers.includes(driver) && repositoryKeyOf(artifact) === undefined) {
      refuse(`${path}.${artifact.name}: artifact driver ${driver} is not configured`);
    }
  }
}
