import type { JsonObject, StructuralSchema } from '@chandlery/api';
import type { ServedKind } from '../operator/own-kinds.ts';

/** A kind that a provider serves to tenants, and which is to be sold to platforms too. */
export interface OfferedKind extends ServedKind {
  readonly provider: string;
  /** The provider is being uninstalled: what is there is served on, but nothing new. */
  readonly isLeaving: boolean;
  readonly serviceId: string;
  /** Unique among all offers. */
  readonly name: string;
  readonly description: string;
  /** Whether its objects may tell of a connection Secret. */
  readonly isBindable: boolean;
  /** Of `spec`. Undefined: anything goes. */
  readonly schema: StructuralSchema | undefined;
  /** What the definition of the kind says about plans. */
  readonly plansText: string | undefined;
}

/** A plan: what an instance is unless its parameters say otherwise. */
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
  /** Why plans that somebody declared do not count. */
  readonly problem?: string;
}
