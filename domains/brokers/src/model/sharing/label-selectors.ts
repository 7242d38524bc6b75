import { type CompiledQuery, compileLabelQuery } from '../query/compile-query.ts';
import { labelTerm } from '../query/label-term.ts';
import { parseQuery } from '../query/parse-query.ts';
import type { InstanceRow } from '../rows.ts';

/** Makes the label queries of a reference ready; all must hold. Throws `BadRequest` for one that cannot be read. */
export function compileLabelSelectors(queries: readonly string[]): (instance: InstanceRow) => boolean {
  const compiled = queries.map(
    (query): CompiledQuery<InstanceRow> =>
      compileLabelQuery(parseQuery(query), { labelsOf: ({ spec }) => spec.labels, term: labelTerm }),
  );
  return instance => compiled.every(({ test }) => test(instance));
}
