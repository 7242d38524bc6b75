/**
 * Service providers and their tenants.
 *
 * `startProviders` runs the operator that installs providers, and the controllers of projects, workspaces and control
 * planes. Admission is decided by pure functions that the server calls before it stores an object.
 * `createProviderOfferings` offers the services of providers to platforms, through the service manager.
 */

export { type AdmissionRule, admissionRules } from './admission/admission-rules.ts';
export { admitControlPlane, type ControlPlaneWrite } from './admission/admit-control-plane.ts';
export { admitDefinitionDeletion } from './admission/admit-definition-deletion.ts';
export { admitFinalizers, hasFinalizerChange, type KindOwner } from './admission/admit-finalizers.ts';
export { admitOfferingMarks, type MarkedWrite } from './admission/admit-offering-marks.ts';
export { admitOrder } from './admission/admit-order.ts';
export { admitRequest } from './admission/admit-request.ts';
export { admitRetained, isGrantedAccount } from './admission/admit-retained.ts';
export { type Admission, admitTenant, type TenantWrite } from './admission/admit-tenant.ts';
export { admitTenantLabels } from './admission/admit-tenant-labels.ts';
export {
  createProviderOfferings,
  type ProviderOfferingsOptions,
} from './facade/offerings/create-provider-offerings.ts';
export { addProviderMetrics, type ProviderMetrics } from './metrics.ts';
export { isReserved, landscapeGroups } from './model/operator/own-kinds.ts';
export { managedByValue } from './model/operator/provider-names.ts';
export { type ProvidersOptions, startProviders } from './start-providers.ts';
