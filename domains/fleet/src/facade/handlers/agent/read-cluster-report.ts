import type { JsonObject } from '@chandlery/api';
import type { ClusterReport, ReportedCondition } from '../../../actions/fleet-actions.ts';
import { fleetError } from '../../../errors.ts';
import type { ProductNames } from '../../../model/product-names.ts';
import { isOperatorVersion } from '../../../model/versions.ts';
import { type FieldReader, fieldsOf } from '../body-fields.ts';

const booleanStatus = /^(1|t|true|0|f|false)$/i;

/** Reads what an agent says of its cluster. Throws errors 17, 37 and 8. */
export function readClusterReport(body: JsonObject, { singular }: ProductNames): ClusterReport {
  const fields = fieldsOf(body);
  const conditions = readConditions(fields);
  const entries = fields.objects(`${singular}Operator`) ?? [];
  const operatorVersions = entries.map(entry => ({
    version: entry.text('version') ?? '',
    ready: entry.flag('ready') ?? false,
    productVersions: entry.texts(`${singular}Versions`) ?? [],
  }));
  const capacity = readCapacity(fields.object('capacity'));
  checkReadyStatus(conditions);
  for (const entry of operatorVersions) checkOperatorVersion(entry, singular);
  return { conditions, operatorVersions, capacity };
}

/** Reads the conditions of a cluster or an instance. */
export const readConditions = (fields: FieldReader): readonly ReportedCondition[] =>
  (fields.objects('conditions') ?? []).map(condition => ({
    type: condition.text('type') ?? '',
    status: condition.text('status') ?? '',
    reason: condition.text('reason') ?? '',
    message: condition.text('message') ?? '',
  }));

function checkReadyStatus(conditions: readonly ReportedCondition[]): void {
  const ready = conditions.find(({ type }) => type.toLowerCase() === 'ready');
  if (ready !== undefined && !booleanStatus.test(ready.status))
    throw fleetError(37, `the status of condition Ready must be True or False, not '${ready.status}'`);
}

function checkOperatorVersion(
  { version, productVersions }: ClusterReport['operatorVersions'][number],
  singular: string,
): void {
  if (version === '') throw fleetError(37, `each entry of ${singular}Operator needs a version`);
  if (productVersions.length === 0 || productVersions.includes(''))
    throw fleetError(37, `version ${version} of ${singular}Operator needs ${singular}Versions`);
  if (!isOperatorVersion(version)) throw fleetError(8, `version '${version}' does not end in X.Y.Z-B`);
}

function readCapacity(fields: FieldReader | undefined): ClusterReport['capacity'] {
  if (fields === undefined) return undefined;
  const entries = [...fields.entries()].map(([type, units]) => {
    const [maxUnits = 0, remainingUnits = 0] = [units.number('maxUnits'), units.number('remainingUnits')];
    if (![maxUnits, remainingUnits].every(number => Number.isSafeInteger(number) && number >= 0))
      throw fleetError(37, `the units of capacity.${type} must be whole numbers`);
    return [type, { maxUnits, remainingUnits }] as const;
  });
  return Object.fromEntries(entries);
}
