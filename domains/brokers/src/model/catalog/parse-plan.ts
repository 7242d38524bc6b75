import type { JsonObject } from '@chandlery/api';
import { referencePlanName } from '../../kinds/index.ts';
import { withoutUndefined } from '../json.ts';
import { type CatalogPlan, type PlanFacts, supportsSharing } from './catalog.ts';
import type { CatalogEntry } from './catalog-entry.ts';

const maxSchemaLength = 65_536;
const platformKeys = ['supportedPlatforms', 'supportedPlatformNames', 'excludedPlatformNames'] as const;
const schemaPaths = [
  ['service_instance', 'create'],
  ['service_instance', 'update'],
  ['service_binding', 'create'],
] as const;

/** From semver.org: version numbers without leading zeros, then a pre-release and a build. */
const semanticVersion =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][\da-zA-Z-]*))*)?(\+[\da-zA-Z-]+(\.[\da-zA-Z-]+)*)?$/;

/** Reads a plan of an offering. Throws `BadRequest` naming what is wrong. */
export function parsePlan(entry: CatalogEntry, isOfferingBindable: boolean): CatalogPlan {
  const facts = readFacts(entry);
  if (facts.name === referencePlanName) throw entry.reject('name', `${referencePlanName} is reserved`);
  if (supportsSharing(facts) && !(facts.bindable ?? isOfferingBindable)) {
    throw entry.reject('metadata.supportsInstanceSharing', 'needs a bindable plan');
  }
  return { facts, raw: entry.raw };
}

function readFacts(entry: CatalogEntry): PlanFacts {
  const name = entry.requiredText('name');
  const description = entry.text('description');
  if (description === undefined) throw entry.reject('description', 'is missing');
  const optional = withoutUndefined({
    free: entry.flag('free'),
    bindable: entry.flag('bindable'),
    planUpdateable: entry.flag('plan_updateable'),
    bindingRotatable: entry.flag('binding_rotatable'),
    metadata: readMetadata(entry.entry('metadata')),
    schemas: readSchemas(entry.entry('schemas')),
    maximumPollingDuration: entry.wholeNumber('maximum_polling_duration'),
    maintenanceInfo: readMaintenanceInfo(entry.entry('maintenance_info')),
  });
  return { catalogId: entry.requiredText('id'), catalogName: name, name, description, ...optional };
}

function readMetadata(metadata: CatalogEntry | undefined): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  metadata.flag('supportsInstanceSharing');
  const used = platformKeys.filter(key => (metadata.texts(key) ?? []).length > 0);
  const [first, second] = used;
  if (first !== undefined && second !== undefined) throw metadata.reject(second, `excludes ${first}`);
  return metadata.raw;
}

function readSchemas(schemas: CatalogEntry | undefined): JsonObject | undefined {
  if (schemas === undefined) return undefined;
  for (const [subject, verb] of schemaPaths) {
    const action = schemas.entry(subject)?.entry(verb);
    const parameters = action?.entry('parameters');
    if (action !== undefined && parameters !== undefined && lengthOf(parameters) > maxSchemaLength) {
      throw action.reject('parameters', `is longer than ${maxSchemaLength} characters`);
    }
  }
  return schemas.raw;
}

const lengthOf = ({ raw }: CatalogEntry): number => JSON.stringify(raw).length;

function readMaintenanceInfo(info: CatalogEntry | undefined): JsonObject | undefined {
  if (info === undefined) return undefined;
  if (!semanticVersion.test(info.requiredText('version'))) throw info.reject('version', 'must be a semantic version');
  info.text('description');
  return info.raw;
}
