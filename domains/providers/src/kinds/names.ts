/** Labels, annotations and finalizers that providers, their operator and tenants share. */
export const providerNames = {
  /** `reconcile` asks for a pass, `ignore` pauses. */
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
  /** On a ServiceProvider: `closed` keeps tenants from picking it as a component. Default: `open`. */
  componentAnnotation: 'core.chandlery.io/component',
  displayNameAnnotation: 'openmcp.cloud/display-name',
  createdByAnnotation: 'core.openmcp.cloud/created-by',
  /** On what a provider asks for on behalf of an order: the id of the order. */
  instanceLabel: 'sdk.chandlery.io/instance',
  /** On requests of an order: `Delete` or `Orphan`, what becomes of what they lead to should the order vanish. */
  requestPolicyAnnotation: 'sdk.chandlery.io/deletion-policy',
  /** On requests whose order has vanished: why they are still there, for people. */
  leftoverAnnotation: 'sdk.chandlery.io/leftover',
  /** On a CustomResourceDefinition: a JSON list of finalizers that its provider sets beyond those of the kind's group. */
  finalizersAnnotation: 'openmcp.cloud/finalizers',
  /** On a provider's CustomResourceDefinition, with its name as value: it may be deleted, and all objects with it. */
  confirmDeletionAnnotation: 'core.chandlery.io/confirm-deletion',
} as const;
