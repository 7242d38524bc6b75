import { withoutUndefined } from '../json.ts';
import type { Catalog, CatalogOffering, OfferingFacts } from './catalog.ts';
import { assertUnique, CatalogEntry } from './catalog-entry.ts';
import { parsePlan } from './parse-plan.ts';

/**
 * Reads a broker's catalog. Throws `BadRequest` naming the path of what breaks a rule.
 *
 * Unknown fields are left alone and stay in the raw document. Ids and names are unique where they are looked up: an
 * offering's in the broker, a plan's in its offering; two offerings may have a plan of the same id.
 */
export function parseCatalog(body: unknown): Catalog {
  const document = new CatalogEntry(body, '');
  if (document.list('services') === undefined) throw document.reject('services', 'is missing');
  const offerings = document.entries('services');
  assertUnique(offerings, 'id');
  assertUnique(offerings, 'name');
  return { raw: document.raw, offerings: offerings.map(parseOffering) };
}

function parseOffering(entry: CatalogEntry): CatalogOffering {
  const facts = readFacts(entry);
  const plans = entry.entries('plans');
  if (plans.length === 0) throw entry.reject('plans', 'must have at least one plan');
  assertUnique(plans, 'id');
  assertUnique(plans, 'name');
  return { facts, raw: entry.raw, plans: plans.map(plan => parsePlan(plan, facts.bindable ?? false)) };
}

function readFacts(entry: CatalogEntry): OfferingFacts {
  const name = entry.requiredText('name');
  const bindable = entry.flag('bindable');
  const description = entry.text('description');
  if (bindable === undefined) throw entry.reject('bindable', 'is missing');
  if (description === undefined) throw entry.reject('description', 'is missing');
  const optional = withoutUndefined({
    instancesRetrievable: entry.flag('instances_retrievable'),
    bindingsRetrievable: entry.flag('bindings_retrievable'),
    planUpdateable: entry.flag('plan_updateable'),
    allowContextUpdates: entry.flag('allow_context_updates'),
    tags: entry.texts('tags'),
    requires: entry.texts('requires'),
    metadata: entry.entry('metadata')?.raw,
  });
  return { catalogId: entry.requiredText('id'), catalogName: name, name, description, bindable, ...optional };
}
