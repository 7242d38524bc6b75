/**
 * Authentication and authorisation in a logical cluster.
 *
 * A request passes `authenticate` (identity), `parseImpersonation` and `authorizeImpersonation` (effective user),
 * `ClusterAccess.isMember` (membership) and `ClusterAccess.authorize` (rights); `forbidden` makes the error of a denied
 * request. Writes of roles and bindings also pass `ensureMayWriteRole` and `ensureMayWriteBinding`.
 */
export {
  type Authenticator,
  type AuthenticatorOptions,
  adminUser,
  type Credentials,
  createAuthenticator,
  type OidcVerifier,
  type ServiceAccountIdentity,
  type ServiceAccountVerifier,
  type VerifiedCertificate,
} from './authenticate.ts';
export { bootstrapLabel, bootstrapPolicy } from './bootstrap-policy.ts';
export { ClusterAccess, type Decision, type EffectiveRules } from './cluster-access.ts';
export { ensureMayWriteBinding, ensureMayWriteRole, type RbacWrite } from './escalation.ts';
export { forbidden, forbiddenEscalation, forbiddenObject } from './forbidden.ts';
export {
  authorizeImpersonation,
  type DistinctHeaders,
  type Impersonation,
  parseImpersonation,
} from './impersonation.ts';
export {
  formatResource,
  isPathRequest,
  type PathAttributes,
  type PolicyRule,
  type RequestAttributes,
  type ResourceAttributes,
  ruleAllows,
} from './rbac.ts';
export { type RbacObjects, type RoleRef, rbacGroup, type Subject } from './rbac-objects.ts';
export type { Reach, ReachAttributes } from './reach.ts';
export { coversRules, missingPermissions } from './rule-cover.ts';
export {
  anonymous,
  isMaster,
  parseServiceAccountUsername,
  type ServiceAccountName,
  serviceAccountGroups,
  serviceAccountUsername,
  type UserInfo,
  wellKnown,
} from './user.ts';
