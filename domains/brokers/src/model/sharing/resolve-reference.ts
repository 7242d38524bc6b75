import type { JsonObject } from '@chandlery/api';
import { notFound, smError } from '../../errors.ts';
import { type CompiledQuery, compileLabelQuery } from '../query/compile-query.ts';
import { labelTerm } from '../query/label-term.ts';
import { parseQuery } from '../query/parse-query.ts';
import type { InstanceRow, PlanRow, Registry } from '../rows.ts';
import { parseReferenceParameters, type ReferenceSelectors } from './reference-parameters.ts';

/** What a reference asks for. */
export interface ReferenceRequest {
  /** The offering of the reference plan. */
  readonly offeringId: string;
  readonly tenant: string;
  /** As sent. */
  readonly parameters: JsonObject | undefined;
  /** Which name of a plan `plan_name_selector` means: ours over REST, the broker's over OSB. */
  readonly by: 'name' | 'catalog_name';
}

/** Finds the shared instance that a new reference stands for. Throws `BadRequest` or `NotFound`. */
export function resolveReference(registry: Registry, request: ReferenceRequest): InstanceRow {
  const target = parseReferenceParameters(request.parameters);
  if (target.type === 'id') return findById(registry, request, target.id);
  const selectors = target.type === 'any' ? { labels: [] } : target.selectors;
  return theOnly(findBySelectors(registry, request, selectors));
}

function findById(registry: Registry, request: ReferenceRequest, id: string): InstanceRow {
  const instance = registry.instances.get(id);
  if (instance === undefined || instance.tenant !== request.tenant) throw notFound('service instance');
  if (instance.spec.shared !== true) {
    throw smError('BadRequest', `service instance ${id} is not shared`, { field: 'parameters.referenced_instance_id' });
  }
  const plan = registry.plans.get(instance.spec.planId ?? '');
  if (plan?.spec.offeringId !== request.offeringId) throw notFound('service instance');
  return instance;
}

function findBySelectors(registry: Registry, request: ReferenceRequest, selectors: ReferenceSelectors) {
  const hasLabels = compileLabelSelectors(selectors.labels);
  const plans = [...registry.plans.by('offeringId', request.offeringId)].filter(isNamed(request, selectors));
  const { rows } = registry.instances.query({
    where: [
      { index: 'tenant', values: [request.tenant] },
      { index: 'planId', values: plans.map(plan => plan.id) },
      ...(selectors.instanceName === undefined ? [] : [{ index: 'name' as const, values: [selectors.instanceName] }]),
    ],
    filter: instance => instance.spec.shared === true && hasLabels(instance),
  });
  return rows;
}

const isNamed = (request: ReferenceRequest, { planName }: ReferenceSelectors) => {
  const nameOf = ({ spec }: PlanRow) => (request.by === 'name' ? spec.name : spec.catalogName);
  return (plan: PlanRow) => planName === undefined || nameOf(plan) === planName;
};

function theOnly(candidates: readonly InstanceRow[]): InstanceRow {
  const [first, ...others] = candidates;
  if (first === undefined) throw notFound('service instance');
  if (others.length === 0) return first;
  const ids = candidates.map(candidate => candidate.id).sort();
  throw smError('BadRequest', `several shared instances match: ${ids.join(', ')}; name one by its id`, { ids });
}

/** Makes the label queries of a reference ready; all must hold. Throws `BadRequest` for one that cannot be read. */
function compileLabelSelectors(queries: readonly string[]): (instance: InstanceRow) => boolean {
  const compiled = queries.map(
    (query): CompiledQuery<InstanceRow> =>
      compileLabelQuery(parseQuery(query), { labelsOf: ({ spec }) => spec.labels, term: labelTerm }),
  );
  return instance => compiled.every(({ test }) => test(instance));
}
