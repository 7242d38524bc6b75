import { displayNameAnnotation } from '@chandlery/api';
import { shorten } from '@chandlery/clusters/kinds';

/** Labels, annotations and finalizers that providers, their operator and tenants share. */
export const providerNames = {
  /** `reconcile` requests a reconcile, `ignore` pauses. */
  operationAnnotation: 'openmcp.cloud/operation',
  managedByLabel: 'openmcp.cloud/managed-by',
  managedPurposeLabel: 'openmcp.cloud/managed-purpose',
  environmentLabel: 'openmcp.cloud/environment',
  onboardingNameLabel: 'openmcp.cloud/onboarding-name',
  onboardingNamespaceLabel: 'openmcp.cloud/onboarding-namespace',
  /** On a CustomResourceDefinition: `platform` or `onboarding`. */
  clusterLabel: 'openmcp.cloud/cluster',
  providerKindAnnotation: 'openmcp.cloud/provider-kind',
  providerNameAnnotation: 'openmcp.cloud/provider-name',
  providerGenerationAnnotation: 'openmcp.cloud/provider-generation',
  providerFinalizer: 'openmcp.cloud/finalizer',
  tenantFinalizer: 'core.openmcp.cloud',
  controlPlaneFinalizer: 'core.openmcp.cloud/mcp',
  controlPlaneNameLabel: 'core.openmcp.cloud/mcp-name',
  controlPlaneNamespaceLabel: 'core.openmcp.cloud/mcp-namespace',
  oidcProviderLabel: 'core.openmcp.cloud/oidc-provider',
  tokenProviderLabel: 'core.openmcp.cloud/token-provider',
  /** On a ControlPlane, at its creation: another purpose for its cluster. */
  purposeLabel: 'core.openmcp.cloud/purpose',
  /** On a ServiceProvider: `closed` prevents tenants from choosing it as a component. Default: `open`. */
  componentAnnotation: 'core.chandlery.io/component',
  displayNameAnnotation,
  createdByAnnotation: 'core.openmcp.cloud/created-by',
  /** On requests of a provider for a service object: the instance id. */
  instanceLabel: 'sdk.chandlery.io/instance',
  /**
   * On requests for a service object: `Delete` or `Orphan`, the policy when the object is deleted without its provider.
   */
  requestPolicyAnnotation: 'sdk.chandlery.io/deletion-policy',
  /** On requests of a deleted service object: why they still exist. */
  leftoverAnnotation: 'sdk.chandlery.io/leftover',
  /** On a CustomResourceDefinition: a JSON list of finalizers that its provider sets beyond those of the kind's group. */
  finalizersAnnotation: 'openmcp.cloud/finalizers',
  /** On a provider's CustomResourceDefinition, with its name as value: it may be deleted, and all objects with it. */
  confirmDeletionAnnotation: 'core.chandlery.io/confirm-deletion',
} as const;

const livenessSuffix = '-liveness';

/** The Lease in the system namespace by which a provider outside of the landscape reports that it runs. */
export const livenessLeaseOf = (provider: string): string =>
  `${shorten(provider, 63 - livenessSuffix.length)}${livenessSuffix}`;
