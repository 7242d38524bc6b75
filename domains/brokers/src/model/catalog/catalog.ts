import type { JsonObject } from '@chandlery/api';
import type { OfferingRow, PlanRow } from '../rows.ts';

/** What the catalog says of a plan, in the words of its kind. */
export type PlanFacts = Omit<PlanRow['spec'], 'brokerId' | 'offeringId' | 'labels' | 'isReference'>;

/** What the catalog says of an offering, in the words of its kind. */
export type OfferingFacts = Omit<OfferingRow['spec'], 'brokerId' | 'labels'>;

/** A plan of a catalog: what we know of it, and what the broker said. */
export interface CatalogPlan {
  readonly facts: PlanFacts;
  readonly raw: JsonObject;
}

/** An offering of a catalog: what we know of it, and what the broker said. */
export interface CatalogOffering {
  readonly facts: OfferingFacts;
  readonly raw: JsonObject;
  readonly plans: readonly CatalogPlan[];
}

/** A broker's catalog that keeps the rules. */
export interface Catalog {
  /** The document as it came, with fields that we do not know. */
  readonly raw: JsonObject;
  readonly offerings: readonly CatalogOffering[];
}

/** Whether instances of a plan with this metadata may be shared. */
export const supportsSharing = (facts: Pick<PlanFacts, 'metadata'>): boolean =>
  facts.metadata?.['supportsInstanceSharing'] === true;
