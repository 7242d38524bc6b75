import type { WorkflowSpec } from '@chandlery/workflow';
import type { ParameterDefinition } from '../../kinds/index.ts';
import type { Json } from '../bodies/body-fields.ts';
import type { ParameterValue } from '../parameters/verify-parameters.ts';

/** What a model makes a document from. */
export interface PlanInput {
  /** Of either generation, as one of generation 2. */
  readonly controller: Json;
  readonly definitions: readonly ParameterDefinition[];
  /** Verified and replaced, with defaults and constants. */
  readonly values: readonly ParameterValue[];
}

/** The document of an order, before the platform adds its own fields. */
export interface WorkflowPlan {
  readonly spec: WorkflowSpec;
  /** Labels and annotations of the author. Default none. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** What was changed or is not enforced, in sentences. */
  readonly warnings: readonly string[];
}

/** What the platform decides for all orders. */
export interface PlatformProfile {
  /** The longest that an order may run. */
  readonly deadlineSeconds: number;
  /** How long a Workflow is kept after its end. */
  readonly ttlSeconds: number;
}

export const defaultProfile: PlatformProfile = { deadlineSeconds: 7 * 86_400, ttlSeconds: 86_400 };
