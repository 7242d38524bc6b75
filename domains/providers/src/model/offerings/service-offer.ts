import type { JsonObject, StructuralSchema } from '@chandlery/api';
import type { ServedKind } from '../operator/own-kinds.ts';

/** A kind that a provider serves to tenants and that is offered to platforms. */
export interface OfferedKind extends ServedKind {
  readonly provider: string;
  /** The provider is being uninstalled: existing instances are served, new ones are rejected. */
  readonly isLeaving: boolean;
  readonly serviceId: string;
  /** Unique among all offers. */
  readonly name: string;
  readonly description: string;
  /** Whether its status has a connection Secret. */
  readonly isBindable: boolean;
  /** The schema of `spec`. Undefined: anything is accepted. */
  readonly schema: StructuralSchema | undefined;
  /** The plans declared in the definition of the kind. */
  readonly plansText: string | undefined;
}

/** A plan: the default spec of an instance. */
export interface OfferedPlan {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isFree: boolean;
  readonly spec: JsonObject;
}

/** A kind with its plans. Without any it is not offered. */
export interface ServiceOffer extends OfferedKind {
  readonly plans: readonly OfferedPlan[];
  /** Why declared plans are ignored. */
  readonly problem?: string;
}
