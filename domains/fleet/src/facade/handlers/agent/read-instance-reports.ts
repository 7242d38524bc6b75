import type { JsonObject } from '@chandlery/api';
import type { InstanceReport } from '../../../actions/fleet-actions.ts';
import type { ProductNames } from '../../../model/product-names.ts';
import { type FieldReader, fieldsOf } from '../body-fields.ts';
import { readConditions } from './read-cluster-report.ts';

/** Reads what an agent says of its instances, by their ids. Throws error 17. */
export function readInstanceReports(body: JsonObject, names: ProductNames): ReadonlyMap<string, InstanceReport> {
  const reports = [...fieldsOf(body).entries()].map(([id, fields]) => [id, readReport(fields, names)] as const);
  return new Map(reports);
}

function readReport(fields: FieldReader, { singular }: ProductNames): InstanceReport {
  const versions = fields.object('versions');
  return {
    conditions: readConditions(fields),
    versions: { product: versions?.text(singular), operator: versions?.text(`${singular}Operator`) },
    routes: fields.objects('routes')?.map(route => ({
      name: route.text('name') ?? '',
      prefix: route.text('prefix') ?? '',
      router: route.text('router') ?? '',
    })),
    adminUrl: fields.text('adminServerURI'),
  };
}
