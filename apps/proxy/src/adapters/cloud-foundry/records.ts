interface ToOne {
  readonly data: { readonly guid: string };
}

/** A broker, as the Cloud Controller shows it. */
export interface BrokerRecord {
  readonly guid: string;
  readonly name: string;
  readonly url: string;
  readonly relationships?: { readonly space?: { readonly data?: unknown } };
}

/** An offering, as the Cloud Controller shows it. */
export interface OfferingRecord {
  readonly guid: string;
  readonly name: string;
  readonly relationships: { readonly service_broker: ToOne };
}

/** A plan, as the Cloud Controller shows it. */
export interface PlanRecord {
  readonly guid: string;
  readonly name: string;
  readonly visibility_type: 'public' | 'admin' | 'organization' | 'space';
  readonly broker_catalog: { readonly id: string };
  readonly relationships: { readonly service_offering: ToOne };
}

/** Who may use a plan. */
export interface VisibilityRecord {
  readonly type: PlanRecord['visibility_type'];
  readonly organizations?: readonly { readonly guid: string; readonly name?: string }[];
}

/** An organization, as the Cloud Controller shows it. */
export interface OrganizationRecord {
  readonly guid: string;
  readonly name: string;
}
